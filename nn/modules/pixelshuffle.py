"""Rearrangement of elements between channels and pixels of images."""

from ...generated.tensor import Tensor
from .. import functional as F
from .module.base import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Rearranges channels into pixels: each group of r^2 channels becomes r x r pixels of one channel.

    Formula: y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w]

    Args:
        upscale_factor: r.

    Shape: Input: (*, C r^2, H, W). Output: (*, C, H r, W r).

    Raises: RuntimeError: fewer than three dimensions, or channels that r^2 does not divide.

    Example:
        >>> sg.nn.PixelShuffle(2)(sg.arange(4.0).reshape(4, 1, 1))
        tensor([[[0., 1.],
                 [2., 3.]]])
    """

    _shown = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Module):
    """Rearranges pixels into channels: the inverse of `PixelShuffle`.

    Formula: y[c r^2 + i r + j, h, w] = x[c, h r + i, w r + j]

    Args:
        downscale_factor: r.

    Shape: Input: (*, C, H r, W r). Output: (*, C r^2, H, W).

    Raises: RuntimeError: fewer than three dimensions, or a height or width that r does not divide.

    Example:
        >>> sg.nn.PixelUnshuffle(2)(sg.arange(4.0).reshape(1, 2, 2)).shape
        specgrad.Size([4, 1, 1])
    """

    _shown = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)
