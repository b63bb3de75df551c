"""Reductions that choose or test elements: extrema, their places, any and all. nan is extreme and true."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.cpu import loops
from ...kernels.cpu.folding import folding
from ...pool.parallel_for import shared
from .cpu_ufunc_reduce import reduced, reduced_to_one

Array = np.ndarray
Dims = tuple[int, ...]

SHORT = 32  # elements of rows for which NumPy takes longer than a plain loop
_greatest: Any = np.maximum.reduce  # NumPy's stubs want a literal keepdims
_least: Any = np.minimum.reduce
_some: Any = np.logical_or.reduce
_every: Any = np.logical_and.reduce


def amax(a: Array, dim: Dims, keepdim: bool) -> Array:
    """max_i a_i over `dim`."""
    if _is_of_short_rows(a, dim):
        return _extremes(a, a.ndim - 1, keepdim, True)[0]
    return reduced(_greatest, a, dim, keepdim)


def amin(a: Array, dim: Dims, keepdim: bool) -> Array:
    """min_i a_i over `dim`."""
    if _is_of_short_rows(a, dim):
        return _extremes(a, a.ndim - 1, keepdim, False)[0]
    return reduced(_least, a, dim, keepdim)


def max_all(a: Array) -> Array:
    """max_i a_i."""
    return reduced_to_one(_greatest, a)


def min_all(a: Array) -> Array:
    """min_i a_i."""
    return reduced_to_one(_least, a)


def max_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The greatest elements along `dim` and where they first occur."""
    return _extremes(a, dim, keepdim, True)


def min_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The least elements along `dim` and where they first occur."""
    return _extremes(a, dim, keepdim, False)


def _is_of_short_rows(a: Array, dim: Dims) -> bool:
    """Whether an array of floats is reduced over its last dimension, and that is so short that NumPy takes long."""
    return bool(dim == (a.ndim - 1,) and a.dtype.kind == "f" and 0 < a.shape[-1] <= SHORT and a.size)


def _extremes(a: Array, dim: int, keepdim: bool, greatest: bool) -> tuple[Array, Array]:
    """Of floats by our own loops where they are not neighbours along `dim`, or few; else by NumPy's places."""
    plan = folding(a.shape, (dim,) if a.ndim else (), keepdim)
    before, _, after = plan.folded
    floats = a.dtype.kind == "f" and a.size > 0
    if floats and after == 1 and plan.folded[1] <= SHORT:
        values, places = np.empty(plan.result, a.dtype), np.empty(plan.result, np.int64)
        rows = plan.fold(a).reshape(before, -1)
        shared(loops.row_extremes, (rows, greatest, values.reshape(before), places.reshape(before)), before, a.size)
        return values, places
    if floats and after > 1:
        values, places = np.empty(plan.result, a.dtype), np.empty(plan.result, np.int64)
        found = values.reshape(before, after), places.reshape(before, after)
        shared(loops.column_extremes, (plan.fold(a), greatest, *found), before * after, a.size, 64)
        return values, places
    a = a.reshape(a.shape or 1)
    places = reduced(np.argmax if greatest else np.argmin, a, dim, True)
    if not floats:
        return np.take_along_axis(a, places, dim).reshape(plan.result), places.reshape(plan.result)
    values = np.empty(plan.result, a.dtype)
    rows, single = plan.fold(a.reshape(plan.shape)), (before, 1, after)
    loops.gather_along(rows, places.reshape(single), values.reshape(single), np.zeros(1, np.int64), 0, before)
    return values, places.reshape(plan.result)


def argmax(a: Array, dim: int | None, keepdim: bool) -> Array:
    """Where the greatest element first occurs along `dim`, or in the flattened array."""
    return _place(np.argmax, a, dim, keepdim, True)


def argmin(a: Array, dim: int | None, keepdim: bool) -> Array:
    """Where the least element first occurs along `dim`, or in the flattened array."""
    return _place(np.argmin, a, dim, keepdim, False)


def _place(find: Any, a: Array, dim: int | None, keepdim: bool, greatest: bool) -> Array:
    if dim is not None and a.dtype.kind == "f" and (dim < a.ndim - 1 or _is_of_short_rows(a, (dim,))):
        return _extremes(a, dim, keepdim, greatest)[1]
    return find(a, axis=None, keepdims=keepdim) if dim is None or not a.ndim else reduced(find, a, dim, keepdim)


def any_all(a: Array) -> Array:
    """Whether some element is not zero."""
    return reduced_to_one(_some, a)


def any_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """Whether some element along `dim` is not zero."""
    return reduced(_some, a, dim, keepdim)


def all_all(a: Array) -> Array:
    """Whether no element is zero."""
    return reduced_to_one(_every, a)


def all_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """Whether no element along `dim` is zero."""
    return reduced(_every, a, dim, keepdim)
