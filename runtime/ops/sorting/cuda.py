"""Sorting, choosing, searching and membership on a CUDA device, as on the CPU: stable, nan is the greatest.

Of a median the index is that of the one that stands in the middle of a stable sort, of a mode the last one.
"""

from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import folding
from ...kernels.cuda.counting import BEGINS, LENGTHS
from ...kernels.cuda.search import bisecting, matching
from ...kernels.cuda.selection import MEDIAN_RANKS, PICKED_AT
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import contiguous
from ...kernels.cuda_launch.per_element import numbers, over_elements, pinned_reader
from ...kernels.cuda_launch.sort_and_scan import keyed, order_of, scan, seen, sort_into
from ..reduction.cuda_argreduce import argmax
from . import cpu, cpu_counting

INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)


@pinned_reader(cpu.sort)
def sort(a: Array, dim: int, descending: bool, stable: bool) -> tuple[Array, Array]:
    return _ranked(a, dim, (0, _length(a, dim)), descending, a.shape)


@pinned_reader(cpu.argsort)
def argsort(a: Array, dim: int, descending: bool, stable: bool) -> Array:
    result = arrays.empty(a.shape, INT64, a.device)
    sort_into((result,), keyed(a), _seen(a, dim), (0, _length(a, dim)), descending)
    return result


@pinned_reader(cpu.topk)
def topk(a: Array, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Array, Array]:
    shape = (*a.shape[:dim], k, *a.shape[dim + 1 :]) if a.ndim else ()
    return _ranked(a, dim, (0, k), largest, shape)


@pinned_reader(cpu.kthvalue)
def kthvalue(a: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    return _ranked(a, dim, (k - 1, 1), False, folding(a.shape, dim, keepdim).result)


def _ranked(
    a: Array, dim: int, ranks: tuple[int, int], descending: bool, shape: tuple[int, ...]
) -> tuple[Array, Array]:
    results = arrays.result(a, shape), arrays.empty(shape, INT64, a.device)
    sort_into(results, keyed(a), _seen(a, dim), ranks, descending)
    return results


def _length(a: Array, dim: int) -> int:
    return a.shape[dim] if a.ndim else 1


def _seen(a: Array, dim: int) -> tuple[int, int, int]:
    return seen(a.shape, dim % a.ndim) if a.ndim else (1, 1, 1)


def _along(a: Array, dim: int, keepdim: bool, skips: bool) -> tuple[Array, Array]:
    return _median(a, _seen(a, dim), folding(a.shape, dim, keepdim).result, skips)


def _of_all(a: Array, skips: bool) -> Array:
    if a.size:
        return _median(a, (1, a.size, 1), (), skips)[0]
    result = arrays.result(a, ())
    arrays.fill(result, np.nan if a.dtype.kind == "f" else np.iinfo(a.dtype).min)
    return result


def _median(
    a: Array, shape: tuple[int, int, int], remaining_count: tuple[int, ...], skips: bool
) -> tuple[Array, Array]:
    x, (before, along, after) = keyed(a), shape
    order, ranks = order_of(x.ravel(), before * after, along, after), arrays.empty((before * after,), INT32, a.device)
    layout = numbers(along, after)
    over_elements(MEDIAN_RANKS, ranks.size, x.ravel(), order, ranks, *layout, np.bool_(skips))
    return _at_ranks(a, x, order, ranks, layout, remaining_count)


def _at_ranks(
    a: Array, x: Array, order: Array, ranks: Array, layout: Any, remaining_count: tuple[int, ...]
) -> tuple[Array, Array]:
    results = arrays.result(a, remaining_count), arrays.empty(remaining_count, INT64, a.device)
    flat = tuple([each.ravel() for each in results])
    over_elements(PICKED_AT, ranks.size, x.ravel(), order, ranks, flat, *layout)
    return results


median_all = pinned_reader(cpu.median_all)(partial(_of_all, skips=False))
nanmedian_all = pinned_reader(cpu.nanmedian_all)(partial(_of_all, skips=True))
median_dim = pinned_reader(cpu.median_dim)(partial(_along, skips=False))
nanmedian_dim = pinned_reader(cpu.nanmedian_dim)(partial(_along, skips=True))


@pinned_reader(cpu.mode)
def mode(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    x, (before, along, after) = keyed(a), _seen(a, dim)
    lines = before * after
    order = order_of(x.ravel(), lines, along, after)
    begins, last, lengths = (arrays.empty((lines, along), INT32, a.device) for _ in range(3))
    layout = numbers(along, after)
    over_elements(BEGINS, order.size, x.ravel(), order, begins.ravel(), *layout)
    scan("maximum", INT32, [begins], [last, arrays.empty((lines, along), INT64, a.device)], (lines, along, 1))
    over_elements(LENGTHS, order.size, last.ravel(), lengths.ravel(), *numbers(along))
    ranks = argmax(lengths, 1, False)
    return _at_ranks(a, x, order, ranks, layout, folding(a.shape, dim, keepdim).result)


BOOL, FLOAT64 = np.dtype(np.bool_), np.dtype(np.float64)


@pinned_reader(cpu_counting.searchsorted_indices)
def searchsorted_indices(sorted_sequence: Array, self: Array, right: bool, sorter: Array | None) -> Array:
    result = arrays.empty(self.shape, INT64, self.device)
    if result.size:
        computed = FLOAT64 if self.dtype.kind == "f" else INT64
        is_batched, length = sorted_sequence.ndim > 1, sorted_sequence.shape[-1]
        count = prod(sorted_sequence.shape[:-1])
        order: Any = () if sorter is None else contiguous(sorter)
        args = contiguous(sorted_sequence), contiguous(self), order, result
        kernel = bisecting(computed, sorter is not None)
        over_elements(kernel, result.size, *args, *numbers(length, self.size // count, right, is_batched))
    return result


@pinned_reader(cpu_counting.is_among)
def is_among(elements: Array, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    result = arrays.empty(elements.shape, BOOL, elements.device)
    computed = joint(elements.dtype, test_elements.dtype)
    args = contiguous(elements), contiguous(test_elements), result
    over_elements(matching(computed), result.size, *args, *numbers(test_elements.size), np.bool_(invert))
    return result


def joint(one: np.dtype, other: np.dtype) -> np.dtype:
    kinds = one.kind + other.kind
    if "c" in kinds:
        return np.dtype(np.complex128)
    return INT64 if set(kinds) <= set("iub") else FLOAT64
