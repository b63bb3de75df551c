"""Contiguous copies of arrays that lie in another order: by squares that fit into vector registers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ....pool.parallel_for import by_slices, shared
from ...jit import jit
from ..aligned import empty
from ..filling.fills import filled
from ..transpose import transpose

Array = np.ndarray
Dims = tuple[int, ...]

_ROWS = 64  # that stay together in one thread
_LARGE = 4096  # elements; for fewer NumPy's copy is as good
AS_FLOATS = {4: np.float32, 8: np.float64}  # only moved, so any bits may pass as floats


def contiguous(a: Array) -> Array:
    """The array itself where it is contiguous, else a copy in row-major order."""
    return a if a.flags.c_contiguous else copied(a)


def copied(a: Array) -> Array:
    if a.size < _LARGE or a.itemsize not in AS_FLOATS:
        return a.copy()
    if not any(a.strides):
        return filled(empty(a.size, a.dtype), a.flat[0]).reshape(a.shape)
    # Other layouts (gaps, four dimensions, steps backwards) are left to NumPy.
    plan = None if a.flags.c_contiguous else _plan(a.shape, a.strides, a.itemsize)
    if plan is None and not a.flags.c_contiguous:
        return a.copy()
    out, moved = empty(a.shape, a.dtype), AS_FLOATS[a.itemsize]
    if plan is None:
        by_slices(_copy, (a.reshape(-1).view(moved), out.reshape(-1).view(moved)), a.size)
        return out
    sizes, strides, order = plan
    source = np.lib.stride_tricks.as_strided(a.view(moved), sizes, strides)
    to = out.view(moved).reshape(sizes)
    loop, last, fastest = order
    arguments = source.transpose(loop, last, fastest), to.transpose(loop, fastest, last)
    shared(_transpose_each, arguments, sizes[loop] * sizes[last], a.size, _ROWS)
    return out


@lru_cache(maxsize=1024)
def _plan(shape: Dims, strides: Dims, itemsize: int) -> tuple[Dims, Dims, Dims] | None:
    """The array as three dimensions, and their order (one to loop over, last, fastest in memory); None for others."""
    dims: list[tuple[int, int]] = []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if dims and dims[-1][1] == step * size:
            dims[-1] = dims[-1][0] * size, step
        else:
            dims.append((size, step))
    dims = [(1, 0)] * (3 - len(dims)) + dims
    fastest = [k for k, (_, step) in enumerate(dims[:-1]) if step == itemsize]
    if len(dims) != 3 or len(fastest) != 1 or min(dims[fastest[0]][0], dims[2][0]) < 4 or dims[2][1] <= 0:
        return None
    loop = 1 - fastest[0]
    return tuple(size for size, _ in dims), tuple(step for _, step in dims), (loop, 2, fastest[0])


@jit
def _copy(a: Array, out: Array) -> None:
    """out = a, flat."""
    for i in range(out.size):
        out[i] = a[i]


@jit
def _transpose_each(source: Array, to: Array, first: int, last: int) -> None:
    """to[b] = source[b]^T, for a range of rows (b, i) of the source."""
    rows, k = source.shape[1], first
    while k < last:
        b, start = k // rows, k % rows
        stop = min(rows, start + last - k)
        transpose(source[b, start:stop], to[b, :, start:stop])
        k += stop - start
