"""Elements read, written and added at one place along a dimension each. No place outside the array is ever touched."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...kernels.cpu import loops
from ...kernels.cpu.copies import contiguous, copied
from ...pool.parallel_for import shared
from .cpu_index_add import COLUMNS, require_inside

Array = np.ndarray
Ints = tuple[int, ...]

ELEMENTS = 1024  # that one thread reads, at least


def _folded(a: Array, dim: int) -> Array:
    """A contiguous array as (before, dim, after); a 0-d array counts as having one dimension."""
    shape = a.shape or (1,)
    folded = (math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :]))
    return contiguous(a).reshape(folded)


def _reached(a: Array, places: Array, dim: int) -> Array:
    """The part of an array that `places` along `dim` can reach: elsewhere as far as the places go."""
    if all(n == m or d == dim for d, (n, m) in enumerate(zip(a.shape, places.shape, strict=True))):
        return a
    return a[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(places.shape))]


def gather(a: Array, dim: int, places: Array, sparse_grad: bool) -> Array:
    """y_ij = a[places_ij, j] for dim 0, and so on."""
    part = _reached(a, places, dim) if places.ndim == a.ndim else a
    out = np.empty(places.shape, a.dtype)
    folded, wrong = _folded(places, dim), np.zeros(1, np.int64)
    before, count, after = folded.shape
    arguments = (_folded(part, dim), folded, _folded(out, dim), wrong)
    shared(loops.gather_along, arguments, before * count, out.size, -(-ELEMENTS // max(after, 1)))
    if wrong[0]:
        require_inside("gather", places, dim, (a.shape or (1,))[dim])
    return out


def gather_slope(grad: Array, shape: Ints, dim: int, places: Array) -> Array:
    """Zeros to which each gradient is added at its place."""
    return _put("gather", np.zeros(shape, grad.dtype), dim, places, grad, True)


def scatter(a: Array, dim: int, places: Array, src: Any) -> Array:
    """A copy of a with y[places_ij, j] = src_ij for dim 0, and so on; src may be one number."""
    return _put("scatter", copied(a), dim, places, src, False)


def scatter_add(a: Array, dim: int, places: Array, src: Array) -> Array:
    """A copy of a with src_ij added to y[places_ij, j] for dim 0, and so on."""
    return _put("scatter_add", copied(a), dim, places, src, True)


def _put(op: str, result: Array, dim: int, places: Array, src: Any, add: bool) -> Array:
    """The contiguous `result` itself, with elements written, or added, at places.

    What the places reach is cut out first where it is not all there is, and put back.
    """
    if not places.size:
        return result
    at, whole = places.reshape(places.shape or 1), result.reshape(result.shape or 1)
    part = _reached(whole, at, dim)
    values = np.asarray(src, result.dtype)
    values = _reached(values.reshape(values.shape or 1), at, -1) if np.ndim(src) else values
    values = values if values.shape == at.shape else np.broadcast_to(values, at.shape)
    table = _folded(part, dim)
    if not put_along(table, _folded(at, dim), _folded(values, dim), add):
        require_inside(op, at, dim, whole.shape[dim])
    if part is not whole:
        part[...] = table.reshape(part.shape)
    return result


def put_along(table: Array, places: Array, values: Array, add: bool) -> bool:
    """Writes, or adds, values at places along; False where a place is outside."""
    wrong = np.zeros(1, np.int64)
    before, _, after = table.shape
    shared(
        loops.write_along,
        (table, places, values, add, wrong),
        before * after,
        values.size,
        1 if after == 1 else COLUMNS,
    )
    return not wrong[0]
