"""Shape rules of images."""

from typing import Any

from ...shapes import Shape
from .cpu_shuffle import to_channels, to_pixels


def resampled(self: Any, dim: int, length: int, *rest: Any) -> Shape:
    return (*self.shape[:dim], length, *self.shape[dim % len(self.shape) + 1 :])


def sampled_at(self: Any, grid: Any, *kind: Any) -> Shape:
    return (*self.shape[:2], *grid.shape[1:-1])


def of_pixels(self: Any, factor: int) -> Shape:
    return to_pixels(self.shape, factor).shape


def of_channels(self: Any, factor: int) -> Shape:
    return to_channels(self.shape, factor).shape
