"""Helpers of composites that combine the elements of vectors, and put blocks and vectors on diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...creation.options import allocating
from ...namespace import op
from ...tensor.dtypes import int64

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def grids(tensors: Sequence[Tensor], indexing: str) -> tuple[Tensor, ...]:
    """Each vector along a dimension of its own, expanded along the others; for 'xy' the first along the second one."""
    if indexing == "xy" and len(tensors) > 1:
        second, first, *rest = grids((tensors[1], tensors[0], *tensors[2:]), "ij")
        return first, second, *rest
    shape = tuple(t.numel() for t in tensors)
    after = range(len(tensors) - 1, -1, -1)
    return tuple(t.reshape((-1, *(1,) * n)).expand(shape) for t, n in zip(tensors, after, strict=True))


def pairings(tensors: Sequence[Tensor]) -> Tensor:
    """All rows that take one element of each vector, those of the last changing fastest."""
    return op.stack([grid.flatten() for grid in grids(tensors, "ij")], 1)


def combination_indices(size: int, r: int, with_replacement: bool, device: Any) -> Tensor:
    """The rows of r increasing numbers below `size`, or of r that do not decrease, one after the other in a vector.

    Each row of k numbers is continued by all that may follow: those that leave room for the rest.
    """
    step = 0 if with_replacement else 1
    with allocating("combinations"):
        rows, least = np.empty((1, 0), np.int64), np.zeros(1, np.int64)
        for k in range(r):
            counts = np.maximum(size - step * (r - 1 - k) - least, 0)
            row = np.repeat(np.arange(len(rows)), counts)
            number = np.arange(len(row)) - (np.cumsum(counts) - counts - least)[row]
            rows, least = np.column_stack((rows[row], number)), number + step
            if not len(rows):
                break
    return op.tensor(rows.ravel(), dtype=int64, device=device)


def block_diagonal(tensors: Sequence[Tensor]) -> Tensor:
    """The blocks one below the other, each with zeros on both sides; a vector is a row."""
    blocks = [op.atleast_2d(t) for t in tensors]
    total, before, rows = sum(block._shape[1] for block in blocks), 0, []
    for block in blocks:
        width = block._shape[1]
        rows.append(op.constant_pad_nd(block, (before, total - before - width), 0))
        before += width
    return op.cat(rows, 0)


def shape_with_diagonal(shape: Sequence[int], offset: int, dim1: int, dim2: int) -> tuple[int, ...]:
    """The shape of a tensor that has the last dimension of `shape` on a diagonal of the dimensions dim1 and dim2."""
    size = shape[-1] + abs(offset)
    rest = iter(shape[:-1])
    return tuple(size if dim in (dim1, dim2) else next(rest) for dim in range(len(shape) + 1))
