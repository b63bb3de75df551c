"""Sorting and choosing along one dimension, stable everywhere: equal elements keep their order. nan is the greatest.

Every number becomes an integer key of the same order (see sorting_loops.py). Keys of 32 bits are sorted together with
their places as 64-bit integers, for which NumPy has vector instructions; wider ones by radix. A gradient goes back to
the places that were chosen.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.cpu.folding import folding
from ...pool.parallel_for import is_long, shared
from ...pool.workers import in_parts
from ..indexing.cpu_gather import put_along
from . import cpu_loops as sorts

Array = np.ndarray
Dims = tuple[int, ...]

_FEW = 64  # so many greatest elements are found in one pass over a row; for more of them the row is sorted


def sort(a: Array, dim: int, descending: bool, stable: bool) -> tuple[Array, Array]:
    """The elements in ascending (or descending) order along `dim`, and where they were."""
    rows = _rows(a, dim)
    places = _order(rows, descending)
    return _back(_picked(rows, places), a.shape, dim), _back(places, a.shape, dim)


def argsort(a: Array, dim: int, descending: bool, stable: bool) -> Array:
    """Where the elements in ascending (or descending) order along `dim` were."""
    return _back(_order(_rows(a, dim), descending), a.shape, dim)


def topk(a: Array, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Array, Array]:
    """The k greatest (or least) elements along `dim`, the most extreme first, and where they are."""
    rows = _rows(a, dim)
    if k > _FEW:
        places = np.ascontiguousarray(_order(rows, largest)[:, :k])
    else:
        places = np.empty((len(rows), k), np.int64)
        codes, floating = _codes(rows)
        shared(sorts.greatest_few, (codes, floating, not largest, places), len(rows), rows.size)
    shape = (*a.shape[:dim], k, *a.shape[dim + 1 :]) if a.ndim else ()
    return _back(_picked(rows, places), shape, dim), _back(places, shape, dim)


def kthvalue(a: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The k-th least element along `dim`, and where it is."""
    rows = _rows(a, dim)
    places = np.ascontiguousarray(_order(rows, False)[:, k - 1 : k])
    shape = folding(a.shape, (dim,) if a.ndim else (), keepdim).result
    return _picked(rows, places).reshape(shape), places.reshape(shape)


def chosen_slope(grad: Array, shape: Dims, dim: int, indices: Array) -> Array:
    """Zeros with each gradient at the place along `dim` that its element came from."""
    result = np.zeros(shape, grad.dtype)
    if grad.size:
        before, after = math.prod(shape[:dim]), math.prod(shape[dim + 1 :])
        places, source, out = (np.ascontiguousarray(a).reshape(before, -1, after) for a in (indices, grad, result))
        put_along(out, places, source, False)
    return result


def _rows(a: Array, dim: int) -> Array:
    """The array as contiguous rows along `dim`."""
    length = a.shape[dim] if a.ndim else 1
    moved = a if not a.ndim or dim == a.ndim - 1 else np.moveaxis(a, dim, -1)
    return contiguous(moved).reshape(a.size // max(length, 1), length)


def _back(rows: Array, shape: Dims, dim: int) -> Array:
    """Rows along `dim` as an array of `shape`."""
    if dim >= len(shape) - 1:
        return rows.reshape(shape)
    moved = (*shape[:dim], *shape[dim + 1 :], shape[dim])
    return contiguous(np.moveaxis(rows.reshape(moved), -1, dim))


def _picked(rows: Array, places: Array) -> Array:
    """rows[r, places[r, i]]."""
    values = np.empty(places.shape, rows.dtype)
    shared(sorts.pick, (rows, places, values), len(rows), places.size)
    return values


def _codes(rows: Array) -> tuple[Array, bool]:
    """Integers of 32 or 64 bits: the bits of floats, others as they are; and whether they are such bits."""
    if rows.dtype.kind == "f":
        return rows.view(np.int32 if rows.itemsize == 4 else np.int64), True
    return (rows if rows.dtype == np.int64 else rows.astype(np.int32, copy=False)), False


def _order(rows: Array, descending: bool) -> Array:
    """The places of each row's elements in order."""
    codes, floating = _codes(rows)
    places = np.empty(rows.shape, np.int64)
    if codes.itemsize == 4 and rows.shape[1] < 2**31:
        packed = np.empty(rows.shape, np.uint64)
        shared(sorts.pack, (codes, floating, descending, packed), len(rows), rows.size)
        if is_long(rows.size):
            in_parts(len(rows), 1, lambda i, j: packed[i:j].sort(axis=1))
        else:
            packed.sort(axis=1)
        shared(sorts.unpack, (packed, places), len(rows), rows.size)
    else:
        shared(sorts.radix_order, (codes, floating, descending, places), len(rows), rows.size)
    return places
