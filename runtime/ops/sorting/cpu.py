"""Sorting and choosing along one dimension, stable everywhere: equal elements keep their order. nan is the greatest.

Every number becomes an integer key of the same order (see cpu_loops.py). Keys of 32 bits are sorted together with
their indices as 64-bit integers: in long rows by radix, in others by NumPy. Wider ones are sorted by radix. Where
elements are equal, the index is that of a stable sort: of a median the one that stands in the middle, of a mode the
last one.
"""

from typing import Any

import numpy as np

from ...device.threads.parallel_for import is_long, shared
from ...device.threads.workers import in_parts
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, run
from ...kernels.cpu.reduce_layout import Dims, folding
from . import plans
from .cpu_loops import kth_index, pack, pick, radix_order, sort_packed, unpack
from .cpu_ranks import SHORT, short_order
from .cpu_topk import is_small_k, topk_small

LONG = 1024  # elements of a row that gain by radix, which counts digits of 2048 kinds
PARTITION = 4  # elements of a sum that one counts as of a row that is divided at a rank


def sort(a: Array, dim: int, descending: bool, stable: bool) -> tuple[Array, Array]:
    rows = _rows(a, dim)
    indices = _order(rows, descending)
    return _back(_picked(rows, indices), a.shape, dim), _back(indices, a.shape, dim)


def argsort(a: Array, dim: int, descending: bool, stable: bool) -> Array:
    return _back(_order(_rows(a, dim), descending), a.shape, dim)


def topk(a: Array, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Array, Array]:
    rows = _rows(a, dim)
    if rows.size and is_small_k(k, rows.shape[1]):
        indices = topk_small(*_codes(rows), not largest, k)
    else:
        indices = np.ascontiguousarray(_order(rows, largest)[:, :k])
    shape = (*a.shape[:dim], k, *a.shape[dim + 1 :]) if a.ndim else ()
    return _back(_picked(rows, indices), shape, dim), _back(indices, shape, dim)


def kthvalue(a: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    rows = _rows(a, dim)
    missing = rows.dtype.kind == "f" and bool((rows != rows).any())  # nan equals nothing by which it could be found
    chosen = _order(rows, False)[:, k - 1 : k] if missing else _median(rows, np.full((len(rows), 1), k - 1), True)
    return _chosen(rows, chosen, a, dim, keepdim)


def _rows(a: Array, dim: int) -> Array:
    length = a.shape[dim] if a.ndim else 1
    moved = a if not a.ndim or dim == a.ndim - 1 else np.moveaxis(a, dim, -1)
    return contiguous(moved).reshape(a.size // max(length, 1), length)


def _back(rows: Array, shape: Dims, dim: int) -> Array:
    if dim >= len(shape) - 1:
        return rows.reshape(shape)
    moved = (*shape[:dim], *shape[dim + 1 :], shape[dim])
    return contiguous(np.moveaxis(rows.reshape(moved), -1, dim))


def _picked(rows: Array, indices: Array) -> Array:
    values = np.empty(indices.shape, rows.dtype)
    shared(pick, (rows, indices, values), len(rows), indices.size)
    return values


def _codes(rows: Array) -> tuple[Array, bool]:
    """Integers of 32 or 64 bits, and whether they are the bits of floats; others are as they are, or in their order."""
    if rows.dtype == np.uint64:
        return (rows ^ np.uint64(1 << 63)).view(np.int64), False
    if rows.dtype.kind == "f":
        return rows.view(np.int32 if rows.itemsize == 4 else np.int64), True
    return (rows if rows.dtype == np.int64 else rows.astype(np.int32, copy=False)), False


def _order(rows: Array, descending: bool) -> Array:
    codes, floating = _codes(rows)
    indices = np.empty(rows.shape, np.int64)
    if rows.shape[1] <= SHORT:
        like = np.float32(0) if codes.itemsize == 4 else 0.0
        shared(short_order, (codes, like, floating, descending, indices), len(rows), rows.size)
    elif codes.itemsize == 4 and rows.shape[1] < 2**31:
        packed = np.empty(rows.shape, np.uint64)
        shared(pack, (codes, floating, descending, packed), len(rows), rows.size)
        if rows.shape[1] >= LONG:
            shared(sort_packed, (packed,), len(rows), rows.size)
        elif is_long(rows.size):
            in_parts(len(rows), 1, lambda i, j: packed[i:j].sort(axis=1))
        else:
            packed.sort(axis=1)
        shared(unpack, (packed, indices), len(rows), rows.size)
    else:
        shared(radix_order, (codes, floating, descending, indices), len(rows), rows.size)
    return indices


def median_all(a: Array) -> Array:
    return _of_all(plans.median_all, a, False)


def nanmedian_all(a: Array) -> Array:
    return _of_all(plans.nanmedian_all, a, True)


def median_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    rows = _rows(a, dim)
    return _chosen(rows, _median(rows, np.full((len(rows), 1), (rows.shape[1] - 1) // 2), False), a, dim, keepdim)


def nanmedian_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    rows = _rows(a, dim)
    counts = (rows == rows).sum(1, keepdims=True)
    return _chosen(rows, _median(rows, (counts - 1).clip(0) // 2, True), a, dim, keepdim)


def mode(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    rows = _rows(a, dim)
    order = argsort(rows, 1, False, True)
    ordered = np.take_along_axis(rows, order, 1)
    indices = np.arange(rows.shape[1])
    begins = np.ones(rows.shape, bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = indices - np.maximum.accumulate(np.where(begins, indices, 0), 1)
    best = run.argmax(1)[:, None] if rows.size else np.zeros((len(rows), 1), np.int64)
    return _chosen(rows, np.take_along_axis(order, best, 1), a, dim, keepdim)


def _of_all(find: Any, a: Array, skip: bool) -> Array:
    if a.dtype.kind == "f" and 0 < a.size <= plans.MAX_MEDIAN_ELEMENTS:
        return run(find, contiguous(a))[0]
    flat = a.reshape(-1)
    if not a.size:
        return np.array(np.nan if a.dtype.kind == "f" else np.iinfo(a.dtype).min, a.dtype)
    missing = int((flat != flat).sum())
    rank = (a.size - 1 - missing) // 2 if skip else (a.size - 1 if missing else (a.size - 1) // 2)
    return np.partition(flat, max(rank, 0))[max(rank, 0)].reshape(())


def _median(rows: Array, ranks: Array, skips: bool) -> Array:
    """Where the element of each row's rank is: among its equals as many come before it as in a stable sort."""
    if not rows.size:
        return ranks
    values, indices, positions = np.empty(ranks.shape, rows.dtype), np.empty(ranks.shape, np.int64), np.unique(ranks)

    def rank(i: int, j: int) -> None:
        values[i:j] = np.take_along_axis(np.partition(rows[i:j], positions, 1), ranks[i:j], 1)

    if is_long(PARTITION * rows.size):
        in_parts(len(rows), 1, rank)
    else:
        rank(0, len(rows))
    shared(kth_index, (rows, values, ranks, skips, indices), len(rows), rows.size)
    return indices


def _chosen(rows: Array, indices: Array, a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    shape, indices = folding(a.shape, dim, keepdim).result, np.ascontiguousarray(indices, np.int64)
    return _picked(rows, indices).reshape(shape), indices.reshape(shape)
