"""kornia: filters, colours, geometry and losses on images."""

import kornia
import torch
from fixed import numbers, show

x = numbers(1, 3, 16, 16).abs().requires_grad_()
show("blur", kornia.filters.gaussian_blur2d(x, (3, 3), (1.5, 1.5)))
show("sobel", kornia.filters.sobel(x))
show("laplacian", kornia.filters.laplacian(x, 3))
show("median", kornia.filters.median_blur(x, (3, 3)))
for name in ("rgb_to_grayscale", "rgb_to_hsv", "rgb_to_lab", "rgb_to_ycbcr", "rgb_to_yuv", "rgb_to_xyz"):
    show(name, getattr(kornia.color, name)(x))
show("rotate", kornia.geometry.transform.rotate(x, torch.tensor([30.0])))
show("resize", kornia.geometry.transform.resize(x, (8, 12)))
show("warp", kornia.geometry.transform.warp_perspective(x, torch.eye(3)[None] + 0.01, (16, 16)))
show("ssim", kornia.losses.ssim_loss(x, x.detach() * 0.9, 5))
show("harris", kornia.feature.harris_response(x[:, :1]))
show("morphology", kornia.morphology.dilation(x, torch.ones(3, 3)))
kornia.losses.total_variation(x).sum().backward()
show("gradient", x.grad)
