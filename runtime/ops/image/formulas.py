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
