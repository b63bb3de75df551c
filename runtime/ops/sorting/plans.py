"""Plans of sorting short lines, by the rank of each element, of medians, and of searching ordered rows."""

from __future__ import annotations

from math import prod
from typing import Any

from ...kernels.cpu.folding import Folding, folding
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous, of_any_dtype
from ..indexing.cpu_take_loops import gather_of
from . import cpu_ranks as loops
from .cpu_search_loops import MATCHED, match, search
from .cpu_topk_loops import topk_sorted

INSERTION_THRESHOLD = 8  # elements of a line that are chosen one by one
GROUPED_TOPK_COUNT, GROUPED_TOPK_THRESHOLD = (
    64,
    256,
)  # of a line of more than so many: those above the greatest of groups
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
    """The elements in order, and where they were."""
    return _in_order(x, dim, descending, 0, x.shape[dim] if x.shape else 1, x.shape)


@of_any_dtype
def topk(x: Layout, k: int, dim: int, largest: bool, sorted: bool) -> Plan | None:
    """The k greatest, or least, and where they were."""
    if not k or not x.shape:
        return None
    return _first(x, dim, largest, 0, k, (*x.shape[:dim], k, *x.shape[dim + 1 :]))


@of_any_dtype
def kthvalue(x: Layout, k: int, dim: int, keepdim: bool) -> Plan | None:
    """The k-th least element, and where it is."""
    return _first(x, dim, False, k - 1, 1, folding(x.shape, dim, keepdim).result)


@of_any_dtype
def median_all(x: Layout) -> Plan | None:
    """The element in the middle of all; nan where one is."""
    return _median_of_all(x, 0)


@of_any_dtype
def nanmedian_all(x: Layout) -> Plan | None:
    return _median_of_all(x, 1)


def _median_of_all(x: Layout, skips: int) -> Plan | None:
    if x.strides is not None or not 0 < prod(x.shape) <= MAX_MEDIAN_ELEMENTS:
        return None
    return (Step(loops.median_of_all, (0,), ((0, ()),), (), (skips,)),)


@of_any_dtype
def median_dim(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    """The element in the middle, and where it is; the first nan where there is one."""
    return _middles(x, folding(x.shape, dim, keepdim), dim, 0)


@of_any_dtype
def nanmedian_dim(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    """The element in the middle of those that are not nan, and where it is."""
    return _middles(x, folding(x.shape, dim, keepdim), dim, 1)


def _middles(x: Layout, fold: Folding, dim: int, skips: int) -> Plan | None:
    return _in_lines(loops.middles, x, dim, (skips,), ((0, fold.result), (1, fold.result)), (1,))


@of_any_dtype
def mode(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    """The element that occurs most often, and where it does last."""
    shape = folding(x.shape, dim, keepdim).result
    return _in_lines(loops.mode_values, x, dim, (), ((0, shape), (1, shape)), (1,))


@of_any_dtype
def searchsorted_indices(rows: Layout, values: Layout, right: bool, sorter: Layout | None) -> Plan | None:
    """Where values would be put in to keep their rows in order, which are brought into it first."""
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
    """k elements in order behind the first ones, which are chosen one by one where they are few of a longer line."""
    if (
        not x.shape
        or x.shape[dim] <= RANKED
        or skip + k > (INSERTION_THRESHOLD if x.shape[dim] <= GROUPED_TOPK_THRESHOLD else GROUPED_TOPK_COUNT)
    ):
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
