"""New arrays that begin at a cache line: vectors then never lie across two, which would cost twice as much."""

from __future__ import annotations

from math import prod

import numpy as np

from ...pool.calls import memory_of

LINE = 64  # bytes
LARGE = 1 << 16  # bytes; to find the line in a smaller array takes longer than it saves
Array = np.ndarray


def empty(shape: int | tuple[int, ...], kind: np.dtype) -> Array:
    """As `np.empty`, in row order; a large one is part of a longer array."""
    count = shape if isinstance(shape, int) else prod(shape)
    if count * kind.itemsize < LARGE or LINE % kind.itemsize:
        return np.empty(shape, kind)
    longer = np.empty(count + LINE // kind.itemsize, kind)
    first = -memory_of(longer) % LINE // kind.itemsize
    return longer[first : first + count].reshape(shape)


def copied(array: Array) -> Array:
    if array.nbytes < LARGE:
        return array.copy()
    made = empty(array.shape, array.dtype)
    np.copyto(made, array)
    return made
