"""Sorting, choosing, searching, membership and counting on a CUDA device, as on the CPU: stable, nan is the greatest.

Of a median the index is that of the one that stands in the middle of a stable sort, of a mode the last one. How many
results counts of numbers have, the host reads.
"""

from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import folding
from ...kernels.cuda import counting
from ...kernels.cuda.counting import BEGINS, LENGTHS
from ...kernels.cuda.search import bisecting, matching
from ...kernels.cuda.selection import MEDIAN_RANKS, PICKED_AT
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import contiguous
from ...kernels.cuda_launch.launch import launch
from ...kernels.cuda_launch.per_element import numbers, over_elements, pinned_reader
from ...kernels.cuda_launch.sort_and_scan import keyed, keys_and_order, order_of, scan, seen, sort_into
from ..indexing.cuda_gather import counts_of
from ..reduction.cuda import argmax, max_all, min_all
from . import cpu, cpu_counting

INT32, INT64, UINT32 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32)


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


BLOCKS = 512  # that keep a device busy
BIN_BLOCK_THRESHOLD = 256  # elements of a bin from which on a block of more than a warp adds them up


@pinned_reader(cpu_counting.bin_counts)
def bin_counts(a: Array, minlength: int) -> Array:
    if not a.size:
        return counted("integer", a, (), minlength)
    lowest, highest = (int(arrays.to_host(result(a))) for result in (min_all, max_all))
    cpu_counting.require_none_negative(lowest)
    return counted("integer", a, (), max(highest + 1, minlength))


@pinned_reader(cpu_counting.histc)
def histc(a: Array, bins: int, min: float, max: float) -> Array:
    if min == max and a.size:
        min, max = (float(arrays.to_host(result(a))) for result in (min_all, max_all))
        cpu_counting.require_finite(min, max)
    if min == max:
        min, max = min - 1, max + 1
    low, high = a.dtype.type(min), a.dtype.type(max)
    return contiguous(counted("even", a, (low, high, high - low), bins).as_read(a.dtype))


@pinned_reader(cpu_counting.counts_between)
def counts_between(self: Array, edges: Array, weight: Array | None) -> Array:
    bins = len(edges) - 1
    if weight is None:
        return contiguous(counted("between", self, (contiguous(edges),), bins).as_read(self.dtype))
    x, return_index = contiguous(self).ravel(), arrays.empty((self.size,), UINT32, self.device)
    if not x.size:
        return arrays.zeros((bins,), self.dtype, self.device)
    over_elements(counting.BIN_SEARCH["between"], x.size, x, return_index, (contiguous(edges),), *numbers(bins))
    keys, order = keys_and_order(return_index, x.size, (0, bins.bit_length()))
    result = arrays.empty((bins,), self.dtype, self.device)
    threads = counting.THREADS if x.size > BIN_BLOCK_THRESHOLD * bins else 32
    launch(counting.SUMMED, bins, threads, keys, order, contiguous(weight).ravel(), result, *numbers(x.size))
    return result


def counted(name: str, a: Array, args: tuple[Any, ...], bins: int) -> Array:
    """How many elements are in each bin, which the kernel of that name finds."""
    x, counts = contiguous(a).ravel(), arrays.zeros((bins,), INT64, a.device)
    if x.size and bins <= counting.BINS:
        blocks = min(-(-x.size // counting.THREADS), BLOCKS)
        launch(counting.IN_BLOCK[name], blocks, counting.THREADS, x, counts, args, *numbers(bins, x.size))
    else:
        over_elements(counting.AT_ONCE[name], x.size, x, counts, args, *numbers(bins))
    return counts


@pinned_reader(cpu_counting.distinct)
def distinct(a: Array, dim: int | None, runs: bool, return_index: bool) -> tuple[Array, Array, Array]:
    shape = (1, a.size, 1) if dim is None else seen(a.shape, dim % a.ndim)
    x, (_, along, after) = keyed(a).ravel(), shape
    order: Any = () if runs or not along else slices_in_order(x, shape)
    ends = run_ends(x, order, shape)
    total = int(arrays.to_host(ends[along - 1 :])[0]) if along else 0
    starts, counts = (arrays.empty((total,), INT64, a.device) for _ in range(2))
    inverse = arrays.empty((along,), INT64, a.device)
    over_elements(counting.NUMBERED, along, order, ends, starts, inverse)
    over_elements(counting.COUNTED, total, starts, counts, *numbers(along))
    result_dims = (total,) if dim is None else (*a.shape[: dim % a.ndim], total, *a.shape[dim % a.ndim + 1 :])
    values = arrays.result(a, result_dims)
    over_elements(counting.FIRSTS, values.size, x, order, starts, values.ravel(), *numbers(along, after, total))
    if not return_index and not runs and dim is None:
        none = arrays.empty((0,), INT64, a.device)
        return values, none, none
    return values, inverse.reshape(a.shape) if dim is None else inverse, counts


def slices_in_order(x: Array, shape: tuple[int, int, int]) -> Array:
    """The places along (before, along, after) of slices in order: the first elements that differ decide. So slices are
    sorted by their last element first, and equal ones keep the order that they have."""
    before, along, after = shape
    order = None
    for column in reversed(range(before * after)):
        first = column // after * along * after + column % after
        order = order_of(x[first:], 1, along, after, order)
    assert order is not None
    return order


def run_ends(x: Array, order: Any, shape: tuple[int, int, int]) -> Array:
    before, along, after = shape
    begins = arrays.empty((along,), BOOL, x.device)
    over_elements(counting.DIFFERS, along, x, order, begins, *numbers(before, after))
    return counts_of(begins, 1)
