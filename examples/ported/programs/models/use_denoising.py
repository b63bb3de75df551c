"""denoising-diffusion-pytorch: its U-Net."""

import torch
from denoising_diffusion_pytorch import Unet
from fixed import filled, numbers, trained

model = filled(Unet(dim=8, dim_mults=(1, 2), channels=1, attn_heads=2, attn_dim_head=8))
x, t = numbers(2, 1, 16, 16), torch.tensor([3, 30])
trained(model, lambda: model(x, t).pow(2).mean(), steps=2, lr=0.001)
