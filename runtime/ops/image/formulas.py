"""Helpers of composites on images: the pixels of a grid, and elements moved between channels and pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def pixel_positions(like: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """The rows (x, y, 1) of all pixels, (x, y, z, 1) in a volume: from -1 to 1, the centres of corners or the edges."""
    axes = [_positions(like, n, align_corners) for n in size[2:]]
    grids = op.meshgrid(axes)
    base = op.stack([*reversed(grids), op.ones(size[2:], dtype=like.dtype, device=like.device)], -1)
    return base.reshape((1, -1, len(size) - 1))


def _positions(like: Tensor, size: int, align_corners: bool) -> Tensor:
    if size == 1:
        return op.zeros((1,), dtype=like.dtype, device=like.device)
    edge = 1.0 if align_corners else 1 - 1 / size
    return op.linspace(-edge, edge, size, dtype=like.dtype, device=like.device)


def channels_to_pixels(self: Tensor, factor: int) -> Tensor:
    """(*, C r r, H, W) to (*, C, H r, W r): channel c r r + i r + j goes to position (i, j) of each pixel."""
    *lead, channels, height, width = self._shape
    count = channels // factor**2
    parts = self.reshape((*lead, count, factor, factor, height, width))
    n = len(lead)
    moved = parts.permute((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return op.contiguous_copy(moved).reshape((*lead, count, height * factor, width * factor))


def pixels_to_channels(self: Tensor, factor: int) -> Tensor:
    """(*, C, H r, W r) to (*, C r r, H, W): the inverse of `channels_to_pixels`."""
    *lead, channels, height, width = self._shape
    rows, columns = height // factor, width // factor
    parts = self.reshape((*lead, channels, rows, factor, columns, factor))
    n = len(lead)
    moved = parts.permute((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return op.contiguous_copy(moved).reshape((*lead, channels * factor**2, rows, columns))
