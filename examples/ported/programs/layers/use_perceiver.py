"""perceiver-pytorch: a Perceiver over an image."""

import torch
from fixed import filled, numbers, trained
from perceiver_pytorch import Perceiver
from torch import nn

model = filled(
    Perceiver(
        input_channels=3,
        input_axis=2,
        num_freq_bands=4,
        max_freq=10.0,
        depth=2,
        num_latents=8,
        latent_dim=16,
        cross_heads=1,
        latent_heads=2,
        cross_dim_head=8,
        latent_dim_head=8,
        num_classes=3,
    )
)
x = numbers(2, 8, 8, 3)
trained(model, lambda: nn.functional.cross_entropy(model(x), torch.tensor([0, 2])), steps=3)
