"""Reading by arrays of indices and by masks: x[rows], x[:, rows], x[rows, columns], x[rows, :, columns], x[mask].

The dimensions that are indexed and those around them are folded, whatever their strides are: so one loop reads all.
Elements are moved as words of their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...pool.parallel_for import shared
from .cpu import require_inside
from .cpu_mask import as_uints, chosen_by_mask, full_mask, without_masks
from .cpu_take_loops import LINE, take

Array = np.ndarray
Ints = tuple[int, ...]
Indices = Sequence[Array | None]


def index(a: Array, indices: Indices) -> Array:
    mask = full_mask(a.shape, indices)
    if mask is not None:
        return chosen_by_mask(a, mask)
    result = without_masks(indices)
    dims = [dim for dim, item in enumerate(result) if item is not None]
    arrays = [item.astype(np.int64, copy=False) for item in result if item is not None]
    return gathered("index", a, dims, arrays, [-a.shape[dim] for dim in dims]) if arrays else a.copy()


def index_select(a: Array, dim: int, positions: Array) -> Array:
    line = positions.reshape(-1).astype(np.int64, copy=False)
    if not a.ndim:
        require_inside("index_select", positions, 0, 1, IndexError)
        return a.copy()
    return gathered("index_select", a, [dim], [line], [0])


def take_elements(a: Array, positions: Array) -> Array:
    """The elements at positions of the flattened array, in the shape of these; negative ones count from the end."""
    return gathered("take", a.reshape(-1), [0], [positions], [-a.size])


def gathered(op: str, a: Array, dims: Sequence[int], arrays: Sequence[Array], lower_bound: Sequence[int]) -> Array:
    """What arrays of int64, which broadcast, choose along dimensions of a; each has a least index.

    Raises:
        IndexError: an index is out of bounds, or the arrays do not broadcast.
    """
    common = broadcast_shape_of(op, arrays)
    front = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0  # in front of all, where others lie between them
    rest = [dim for dim in range(a.ndim) if dim not in dims]
    with_layout = foldable(a.transpose([*rest[:front], *dims, *rest[front:]]), front, len(dims))
    chosen = range(front, front + len(dims))
    out = np.empty((*with_layout.shape[:front], *common, *with_layout.shape[front + len(dims) :]), a.dtype)
    lines, broadcast_item = np.empty((len(dims), LINE), np.int64), [expanded_view(array, common) for array in arrays]
    for line, array, dim, lowest in zip(lines, broadcast_item, chosen, lower_bound, strict=True):
        line[:] = array.ctypes.data, -lowest, with_layout.shape[dim], with_layout.strides[dim] // a.itemsize
    if out.size:
        count, width, outside = math.prod(common), math.prod(with_layout.shape[chosen.stop :]), np.zeros(1, np.int64)
        steps = (
            fold_step(with_layout, range(front)) or 0,
            width,
            fold_step(with_layout, range(chosen.stop, a.ndim)) or 0,
        )
        arguments = memory_of(with_layout), lines.reshape(-1), count, *steps, as_uints(out), outside
        shared(take, arguments, out.size // width, out.size)
    if not out.size or outside[0]:
        for array, dim, lowest in zip(arrays, dims, lower_bound, strict=True):
            require_inside(op, array, dim, a.shape[dim], IndexError, lowest)
    return out


def expanded_view(array: Array, shape: Ints) -> Array:
    return np.ascontiguousarray(array if array.shape == shape else np.broadcast_to(array, shape))


def broadcast_shape_of(op: str, arrays: Sequence[Array]) -> Ints:
    if len(arrays) == 1:
        return arrays[0].shape
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(list(array.shape)) for array in arrays)
        raise IndexError(
            f"{op}(): shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None


def foldable(a: Array, front: int, count: int) -> Array:
    """The array, or a contiguous copy where the dimensions around `count` from `front` on have no one step."""
    around = range(front), range(front + count, a.ndim)
    return a if a.flags.c_contiguous or None not in [fold_step(a, dims) for dims in around] else contiguous(a)


def fold_step(a: Any, dims: Iterable[int]) -> int | None:
    """How many elements lie between neighbours of dimensions folded into one; None where they have no one step."""
    long = [dim for dim in dims if a.shape[dim] != 1]
    for dim, following in pairwise(long):
        if a.strides[dim] != a.strides[following] * a.shape[following]:
            return None
    return a.strides[long[-1]] // a.itemsize if long else 0


def memory_of(a: Array) -> Array:
    """The words of memory between the first and the last element of an array."""
    if a.flags.c_contiguous:
        return as_uints(a)
    read_extent = 1 + sum((size - 1) * step for size, step in zip(a.shape, a.strides, strict=True)) // a.itemsize
    flat = np.lib.stride_tricks.as_strided(a, (read_extent,), (a.itemsize,))
    return as_uints(flat)
