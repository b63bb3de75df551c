"""Medians and modes: elements chosen by their rank among others, or by how often they occur.

Where elements are equal, the place is that of a stable sort: of a median the one that stands in the middle, of a mode
the last one. nan is the greatest and equals nothing.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.cpu.folding import folding
from .cpu import argsort

Array = np.ndarray


def median_all(a: Array) -> Array:
    """The element in the middle of all in order, the lower one of two; nan where one is."""
    return _of_all(a, False)


def nanmedian_all(a: Array) -> Array:
    """The element in the middle of all that are not nan."""
    return _of_all(a, True)


def median_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The element in the middle along `dim`, and where it is; the first nan where there is one."""
    rows = _rows(a, dim)
    places = _middle(rows, np.full((len(rows), 1), (rows.shape[1] - 1) // 2))
    if a.dtype.kind == "f":
        missing = np.isnan(rows)
        places = np.where(missing.any(1, keepdims=True), missing.argmax(1)[:, None], places)
    return _chosen(rows, places, a, dim, keepdim)


def nanmedian_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The element in the middle of those along `dim` that are not nan, and where it is."""
    rows = _rows(a, dim)
    counts = (rows == rows).sum(1, keepdims=True)
    return _chosen(rows, np.where(counts, _middle(rows, (counts - 1).clip(0) // 2), 0), a, dim, keepdim)


def mode(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The least of the elements that occur most often along `dim`, and where it occurs last."""
    rows = _rows(a, dim)
    order = argsort(rows, 1, False, True)
    ordered = np.take_along_axis(rows, order, 1)
    places = np.arange(rows.shape[1])
    begins = np.ones(rows.shape, bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = places - np.maximum.accumulate(np.where(begins, places, 0), 1)
    best = run.argmax(1)[:, None] if rows.size else np.zeros((len(rows), 1), np.int64)
    return _chosen(rows, np.take_along_axis(order, best, 1), a, dim, keepdim)


def _of_all(a: Array, skip: bool) -> Array:
    """The median of all elements: of floats without any, nan; of integers the least that there is."""
    flat = a.reshape(-1)
    if not a.size:
        return np.array(np.nan if a.dtype.kind == "f" else np.iinfo(a.dtype).min, a.dtype)
    missing = int((flat != flat).sum())
    rank = (a.size - 1 - missing) // 2 if skip else (a.size - 1 if missing else (a.size - 1) // 2)
    return np.partition(flat, max(rank, 0))[max(rank, 0)].reshape(())


def _rows(a: Array, dim: int) -> Array:
    """The array as rows along `dim`."""
    length = a.shape[dim] if a.ndim else 1
    return contiguous(np.moveaxis(a, dim, -1) if a.ndim else a).reshape(a.size // max(length, 1), length)


def _middle(rows: Array, ranks: Array) -> Array:
    """Where the element of each row's rank is: among its equals as many come before it as in a stable sort."""
    if not rows.size:
        return ranks
    values = np.take_along_axis(np.partition(rows, np.unique(ranks), axis=1), ranks, 1)
    before = ranks - (rows < values).sum(1, keepdims=True)
    return (np.cumsum(rows == values, 1) > before).argmax(1)[:, None]


def _chosen(rows: Array, places: Array, a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The elements at one place of each row, and the places, in the shape of the reduction."""
    shape = folding(a.shape, (dim,) if a.ndim else (), keepdim).result
    return np.take_along_axis(rows, places, 1).reshape(shape), places.astype(np.int64).reshape(shape)
