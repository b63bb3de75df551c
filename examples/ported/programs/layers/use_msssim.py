"""pytorch-msssim: similarity of images, with gradients."""

from fixed import numbers, show
from pytorch_msssim import ms_ssim, ssim

x, y = numbers(1, 3, 192, 192).abs().requires_grad_(), numbers(1, 3, 192, 192).abs() * 0.8
value = ssim(x, y, data_range=1.0)
value.backward()
show("ssim", value)
show("gradient", x.grad)
show("ms_ssim", ms_ssim(x, y, data_range=1.0))
