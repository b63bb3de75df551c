"""Elements chosen by a mask, put back where it is true, and where elements are not zero: counted first, then moved.

Threads share both passes by blocks (see cpu_mask_loops.py). Elements are moved as words of their size, so one loop
serves all dtypes of a size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...pool.parallel_for import shared
from .cpu_mask_loops import BLOCK, compress, count_true, expand, true_indices, unravel_rows

Array = np.ndarray
Ints = tuple[int, ...]
UINT_OF_SIZE = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def as_uints(a: Array) -> Array:
    """The memory of a contiguous array as a vector of unsigned integers; elements of 16 bytes as they are."""
    return a.reshape(-1).view(UINT_OF_SIZE.get(a.itemsize, a.dtype))


def full_mask(shape: Ints, indices: Sequence[Array | None]) -> Array | None:
    """The only index where it is a mask of all dimensions, of which there are some."""
    first = indices[0] if len(indices) == 1 else None
    return first if first is not None and first.dtype.kind == "b" and first.shape == shape != () else None


def counted(mask: Array) -> tuple[Array, Array]:
    """The bytes of a mask, and how many of its elements are true before each block, and in all."""
    line = as_uints(contiguous(mask))
    blocks = -(-line.size // BLOCK)
    starts = np.zeros(blocks + 1, np.int64)
    shared(count_true, (line, starts), blocks, line.size)
    return line, starts.cumsum()


def chosen_by_mask(a: Array, mask: Array) -> Array:
    """The elements of an array where a mask of its shape is true."""
    line, starts = counted(mask)
    out = np.empty(starts[-1], a.dtype)
    shared(compress, (as_uints(contiguous(a)), line, starts, as_uints(out)), starts.size - 1, line.size)
    return out


def put_by_mask(values: Array, mask: Array) -> Array | None:
    """Values, one after the other, where a mask is true, and zeros elsewhere; None where they are not as many."""
    line, starts = counted(mask)
    if values.shape != (starts[-1],):
        return None
    if values.itemsize not in UINT_OF_SIZE:
        out = np.zeros(mask.shape, values.dtype)
        out[mask] = values
        return out
    out = np.empty(mask.shape, values.dtype)
    shared(expand, (as_uints(contiguous(values)), line, starts, as_uints(out)), starts.size - 1, line.size)
    return out


def nonzero(a: Array) -> Array:
    """The indices of the elements that are not zero, one row each."""
    line, starts = counted(a if a.dtype.kind == "b" else a != 0)
    positions = np.empty((int(starts[-1]), a.ndim), np.int64)
    if positions.size:
        arguments = line, starts, positions.reshape(-1), a.shape[-1], a.ndim
        shared(true_indices, arguments, starts.size - 1, line.size * a.ndim)
    if a.ndim > 2:
        shared(unravel_rows, (np.array(a.shape[:-1]), positions.reshape(-1)), len(positions), positions.size)
    return positions


def without_masks(indices: Sequence[Array | None]) -> list[Array | None]:
    """Each mask replaced by the indices where it is true, one array for each of its dimensions."""
    result: list[Array | None] = []
    for item in indices:
        if item is not None and item.dtype.kind == "b":
            result.extend(nonzero(item).T if item.ndim else ())
        else:
            result.append(item)
    return result
