"""Shape rules of images."""

from __future__ import annotations

from typing import Any

from ...tensor.shapes import Shape


def resampled(self: Any, dim: int, length: int, *rest: Any) -> Shape:
    """`length` elements along a dimension."""
    return (*self.shape[:dim], length, *self.shape[dim % len(self.shape) + 1 :])


def sampled_at(self: Any, grid: Any, *kind: Any) -> Shape:
    """The samples and channels of an image, for the points of a grid."""
    return (*self.shape[:2], *grid.shape[1:-1])
