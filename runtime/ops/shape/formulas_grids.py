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

    Each beginning of a row is continued by all numbers that leave room for the rest. Which beginning a number continues
    is kept, so that rows are read from their ends.
    """
    step, min_value, numbers = (0 if with_replacement else 1), np.zeros(1, np.int64), []
    with allocating("combinations"):
        for rest in range(r - 1, -1, -1):
            counts = np.maximum(size - step * rest - min_value, 0)
            before = np.repeat(np.arange(len(counts)), counts)
            number = np.arange(len(before)) - (np.cumsum(counts) - counts - min_value)[before]
            numbers.append((number, before))
            min_value = number + step
            if not len(number):
                break
        rows, at = np.empty((len(min_value), r), np.int64), np.arange(len(min_value))
        for k, (number, before) in reversed([*enumerate(numbers)]):
            rows[:, k], at = number[at], before[at]
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
