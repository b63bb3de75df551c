"""mlp-mixer-pytorch and g-mlp-pytorch: networks of perceptrons for pictures."""

import torch
from fixed import filled, numbers, trained
from g_mlp_pytorch import gMLPVision
from mlp_mixer_pytorch import MLPMixer
from torch import nn

x, y = numbers(2, 3, 16, 16), torch.tensor([0, 2])
for model in (
    MLPMixer(image_size=16, channels=3, patch_size=4, dim=16, depth=2, num_classes=3),
    gMLPVision(image_size=16, patch_size=4, num_classes=3, dim=16, depth=2),
):
    filled(model).eval()
    print(type(model).__name__)
    trained(model, lambda: nn.functional.cross_entropy(model(x), y), steps=3)
