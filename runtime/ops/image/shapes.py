"""Shape rules of images."""

from __future__ import annotations

from typing import Any

from ...shapes import Shape
from .cpu_shuffle import to_channels, to_pixels


def resampled(self: Any, dim: int, length: int, *rest: Any) -> Shape:
    """`length` elements along a dimension."""
    return (*self.shape[:dim], length, *self.shape[dim % len(self.shape) + 1 :])


def sampled_at(self: Any, grid: Any, *kind: Any) -> Shape:
    """The samples and channels of an image, for the points of a grid."""
    return (*self.shape[:2], *grid.shape[1:-1])


def of_pixels(self: Any, factor: int) -> Shape:
    """Channels made places of pixels."""
    return to_pixels(self.shape, factor).shape


def of_channels(self: Any, factor: int) -> Shape:
    """Places of pixels made channels."""
    return to_channels(self.shape, factor).shape
