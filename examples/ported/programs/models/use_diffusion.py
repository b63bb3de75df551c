"""diffusers: a small U-Net and schedulers of diffusion from their configurations."""

import torch
from diffusers import DDIMScheduler, DDPMScheduler, UNet2DModel
from fixed import filled, numbers, show, trained
from torch import nn

model = filled(
    UNet2DModel(
        sample_size=16,
        in_channels=1,
        out_channels=1,
        layers_per_block=1,
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=8,
    )
)
scheduler = DDPMScheduler(num_train_timesteps=50)
x, noise, t = numbers(2, 1, 16, 16), numbers(2, 1, 16, 16).cos(), torch.tensor([3, 30])
noisy = scheduler.add_noise(x, noise, t)
trained(model, lambda: nn.functional.mse_loss(model(noisy, t).sample, noise), steps=2)
ddim = DDIMScheduler(num_train_timesteps=50)
ddim.set_timesteps(4)
for step in ddim.timesteps:
    with torch.no_grad():
        x = ddim.step(model(x, step).sample, step, x).prev_sample
show("sampled", x)
