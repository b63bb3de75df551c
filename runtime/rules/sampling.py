"""Argument rules of sampling images at places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Ints = Sequence[int]


def grid_sampler(
    op: str, self: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> tuple[Any, ...]:
    """An image and a grid of one batch size and dtype, with one coordinate for each spatial dimension."""
    if self.dtype is not grid.dtype:
        raise RuntimeError(f"{op}(): expected input and grid to have the same dtype, got {self.dtype} and {grid.dtype}")
    if interpolation_mode not in (0, 1, 2) or padding_mode not in (0, 1, 2):
        raise RuntimeError(f"{op}(): expected modes 0, 1 or 2, got {interpolation_mode} and {padding_mode}")
    shapes = f"but got input with sizes {list(self._shape)} and grid with sizes {list(grid._shape)}"
    if self.ndim not in (4, 5) or grid.ndim != self.ndim:
        raise RuntimeError(f"{op}(): expected 4D or 5D input and grid with same number of dimensions, {shapes}")
    if self._shape[0] != grid._shape[0]:
        raise RuntimeError(f"{op}(): expected grid and input to have same batch size, {shapes}")
    if grid._shape[-1] != self.ndim - 2:
        raise RuntimeError(f"{op}(): expected grid to have size {self.ndim - 2} in last dimension, {shapes}")
    if 0 in self._shape[2:]:
        raise RuntimeError(f"{op}(): expected input to have non-empty spatial dimensions, {shapes}")
    if interpolation_mode == 2 and self.ndim != 4:
        raise RuntimeError(f"{op}(): bicubic interpolation only supports 4D input, {shapes}")
    return self, grid, interpolation_mode, padding_mode, align_corners


def affine_grid(op: str, theta: Any, size: Ints, align_corners: bool) -> tuple[Any, ...]:
    """One 2 x 3 matrix for each image of `size` (N, C, H, W), or one 3 x 4 matrix for (N, C, D, H, W)."""
    if theta.dtype.kind != "f":
        raise ValueError(f"{op}(): Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            f"{op}() only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{list(size)}."
        )
    if min(size) < 1:
        raise ValueError(f"{op}(): Expected non-zero, positive output size. Got {list(size)}")
    rows = len(size) - 2
    if theta.ndim != 3 or tuple(theta._shape[1:]) != (rows, rows + 1):
        raise ValueError(
            f"{op}(): Expected a batch of {rows}D affine matrices of shape Nx{rows}x{rows + 1} for size {list(size)}. "
            f"Got {list(theta._shape)}."
        )
    if theta._shape[0] != size[0]:
        raise RuntimeError(f"{op}(): expected {size[0]} matrices for size {list(size)}, got {theta._shape[0]}")
    return theta, tuple(size), align_corners
