"""Plans of sorting short lines, of medians, of searching ordered rows, of counting, and of distinct elements."""

from __future__ import annotations

from math import prod
from typing import Any

from ...kernels.cpu.plan import Find, Ints, Layout, Plan, Step, are_contiguous, of_any_dtype, with_integers
from ...kernels.cpu.reduce_layout import folding
from ..indexing.cpu_gather_loops import gather_of
from . import cpu_ranks as loops
from . import cpu_unique_loops as unique
from .cpu_counting_loops import MATCHED, bins_needed, counts_of_bins, even_counts, match, search
from .cpu_topk import topk_sorted

INSERTION_THRESHOLD = 8  # elements of a line that are chosen one by one
GROUPED_TOPK_COUNT, GROUPED_TOPK_THRESHOLD = 64, 256  # of a line of more than that: those above the greatest of groups
MAX_SERIAL_SORT = 4096  # elements of a line that is sorted by one thread
RANKED = 32  # elements of a line that are sooner ranked than chosen from
SEARCHED = 1024  # values that one thread searches for, at least
COMPARED = 32  # elements of which each is compared with all others
MAX_COMPARED = 1 << 14  # pairs of more elements that are compared, at most
MAX_MEDIAN_ELEMENTS = 4096  # elements of which the median is found by going through all of them for every two bits


@of_any_dtype
def argsort(x: Layout, dim: int, descending: bool, stable: bool) -> Plan | None:
    return _in_lines(loops.argsorted, x, dim, (int(descending),), ((0, x.shape),), (0,))


@of_any_dtype
def sort(x: Layout, dim: int, descending: bool, stable: bool) -> Plan | None:
    return _in_order(x, dim, descending, 0, x.shape[dim] if x.shape else 1, x.shape)


@of_any_dtype
def topk(x: Layout, k: int, dim: int, largest: bool, sorted: bool) -> Plan | None:
    if not k or not x.shape:
        return None
    return _first(x, dim, largest, 0, k, (*x.shape[:dim], k, *x.shape[dim + 1 :]))


@of_any_dtype
def kthvalue(x: Layout, k: int, dim: int, keepdim: bool) -> Plan | None:
    return _first(x, dim, False, k - 1, 1, folding(x.shape, dim, keepdim).result)


def median_of_all(skips: int) -> Find:
    @of_any_dtype
    def find(x: Layout) -> Plan | None:
        if x.strides is not None or not 0 < prod(x.shape) <= MAX_MEDIAN_ELEMENTS:
            return None
        return (Step(loops.median_of_all, (0,), ((0, ()),), (), (skips,)),)

    return find


def medians(skips: int) -> Find:
    @of_any_dtype
    def find(x: Layout, dim: int, keepdim: bool) -> Plan | None:
        shape = folding(x.shape, dim, keepdim).result
        return _in_lines(loops.middles, x, dim, (skips,), ((0, shape), (1, shape)), (1,))

    return find


median_all = median_of_all(0)
nanmedian_all = median_of_all(1)
median_dim = medians(0)
nanmedian_dim = medians(1)


@of_any_dtype
def mode(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    shape = folding(x.shape, dim, keepdim).result
    return _in_lines(loops.mode_values, x, dim, (), ((0, shape), (1, shape)), (1,))


@of_any_dtype
def searchsorted_indices(rows: Layout, values: Layout, right: bool, sorter: Layout | None) -> Plan | None:
    count, length = prod(values.shape), rows.shape[-1]
    if not count or not are_contiguous(rows, values, sorter) or (sorter is not None and not length):
        return None
    ints = int(right), length, count // prod(rows.shape[:-1])
    unit = max(SEARCHED, length // 8)  # each thread makes tables above a row
    result = Step(search, (0, 1), ((0, values.shape),), (), ints, (count, unit), 8 * count, indices=(0,))
    if sorter is None:
        return (result,)
    lines, work = prod(rows.shape[:-1]), prod(rows.shape)
    ordered = Step(gather_of, (0, 3), ((1, rows.shape),), (), (lines, length, length, 1), (work, SEARCHED), work)
    return ordered, result._replace(operands=(~1, 1))


@of_any_dtype
def is_among(elements: Layout, test_elements: Layout, assume_unique: bool, invert: bool) -> Plan | None:
    count, query_count = prod(elements.shape), prod(test_elements.shape)
    exceeds_compared = query_count > COMPARED and query_count * count > MAX_COMPARED
    if not count or not query_count or exceeds_compared or not are_contiguous(elements, test_elements):
        return None
    rows = count, MATCHED
    return (Step(match, (0, 1), ((0, elements.shape),), (), (int(invert),), rows, query_count * count, masks=(0,)),)


def _first(x: Layout, dim: int, inverted: bool, skip: int, k: int, shape: Ints) -> Plan | None:
    size = x.shape[dim] if x.shape else 0
    limit = INSERTION_THRESHOLD if size <= GROUPED_TOPK_THRESHOLD else GROUPED_TOPK_COUNT
    if size <= RANKED or skip + k > limit:
        return _in_order(x, dim, inverted, skip, k, shape)
    kernel = loops.topk_sorted_small if skip + k <= INSERTION_THRESHOLD else topk_sorted
    return _in_lines(kernel, x, dim, (int(inverted), skip, k), ((0, shape), (1, shape)), (1,))


def _in_order(x: Layout, dim: int, inverted: bool, skip: int, k: int, shape: Ints) -> Plan | None:
    results = (0, shape), (1, shape)
    return _in_lines(loops.some_in_order, x, dim, (int(inverted), skip, k), results, (1,))


def _in_lines(kernel: Any, x: Layout, dim: int, ints: Ints, results: Any, indices: Ints) -> Plan | None:
    before, along, after = folding(x.shape, dim).folded
    if x.strides is not None or not 0 < along <= MAX_SERIAL_SORT or not prod(x.shape):
        return None
    work = along * prod(x.shape) // 4  # comparisons
    return (Step(kernel, (0,), results, (), (*ints, along, after), (before * after, 1), work, indices=indices),)


MAX_SERIAL_COUNTED = 1 << 16  # numbers that one thread counts
MIN_BINS = 1 << 10  # numbers for which there are places in any case
MAX_SLICES = 1 << 8  # of which each is put in its place among those before it
DENSE = 4  # times as many places as there are numbers may be needed


@of_any_dtype
def bin_counts(x: Layout, minlength: int) -> Plan | None:
    size = prod(x.shape)
    if not are_contiguous(x) or not 0 < size <= MAX_SERIAL_COUNTED or minlength > MAX_SERIAL_COUNTED:
        return None
    ints = minlength, max(minlength, MIN_BINS, DENSE * size)
    return (
        Step(bins_needed, (0,), ((1, (3,)),), (), ints, indices=(1,)),
        Step(counts_of_bins, (0,), ((0, (0,)),), indices=(0,), counted=((0, 1),)),
    )


def histc(x: Layout, bins: int, min: float, max: float) -> Plan | None:
    """How many elements are in each part of their range, or of one from a whole number to another: programs have few of
    these, and other ranges may be different in each call."""
    are_integral = float(min).is_integer() and float(max).is_integer()
    if not are_contiguous(x) or not (min == max or are_integral):
        return None
    return (Step(even_counts, (0,), ((0, (bins,)),), (min, max)),)


def distinct_integers(x: Layout, dim: int | None, runs: bool, return_index: bool) -> Plan | None:
    if dim is not None:
        return distinct_slices(x, dim, runs, return_index)
    if runs:
        return in_runs(x, dim)
    return in_order(x, dim, return_index, unique.count_or_order, max(MIN_BINS, DENSE * prod(x.shape)))


@with_integers(distinct_integers)
def distinct(x: Layout, dim: int | None, runs: bool, return_index: bool) -> Plan | None:
    if dim is not None:
        return distinct_slices(x, dim, runs, return_index)
    return in_runs(x, dim) if runs else in_order(x, dim, return_index, unique.order_floats, 0)


def distinct_slices(x: Layout, dim: int, runs: bool, return_index: bool) -> Plan | None:
    before, count, after = folding(x.shape, dim).folded
    if not are_contiguous(x) or not 0 < prod(x.shape) <= MAX_SERIAL_COUNTED or count > MAX_SLICES:
        return None
    result = (3, (count,)), (4, (1,))
    results = (0, (*x.shape[:dim], 0, *x.shape[dim + 1 :])), (1, (count,) if return_index else (0,)), (2, (0,))
    counted = ((0, 4), (2, 4)) if return_index else ((0, 4),)
    ints = before, count, after
    return (
        Step(unique.order_slices, (0,), result, (), (*ints, int(runs)), indices=(3, 4)),
        Step(unique.put_slices_in_order, (0, ~3), results, (), ints, indices=(1, 2), counted=counted),
    )


def in_order(x: Layout, dim: int | None, return_index: bool, kernel: Any, buffer: int) -> Plan | None:
    size = prod(x.shape)
    if dim is not None or not are_contiguous(x) or not 0 < size <= MAX_SERIAL_COUNTED:
        return None
    result = (3, (size,)), (4, (3,))
    table = ((5, (buffer,)),) if buffer else ()
    results = (0, (0,)), (1, x.shape if return_index else (0,)), (2, (0,))
    counted = ((0, 4), (2, 4)) if return_index else ((0, 4),)
    operands = 0, *[~output for output, _ in (*result, *table)]
    put = unique.put_distinct if buffer else unique.put_ordered
    return (
        Step(kernel, (0,), (*result, *table), indices=(3, 4, 5) if buffer else (3, 4)),
        Step(put, operands if buffer else (0, ~3), results, indices=(1, 2), counted=counted),
    )


@of_any_dtype
def in_runs(x: Layout, dim: int | None) -> Plan | None:
    if dim is not None or not are_contiguous(x) or not prod(x.shape):
        return None
    results = (0, (0,)), (1, x.shape), (2, (0,))
    return (
        Step(unique.count_runs, (0,), ((3, (1,)),), indices=(3,)),
        Step(unique.put_runs, (0,), results, indices=(1, 2), counted=((0, 3), (2, 3))),
    )
