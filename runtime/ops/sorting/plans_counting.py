"""Plans of counting: in bins, in parts of a range, and distinct whole numbers that lie close together."""

from __future__ import annotations

from math import prod
from typing import Any

from ...kernels.cpu.folding import folding
from ...kernels.cpu.plan import Layout, Plan, Step, are_contiguous, of_any_dtype, with_integers
from .cpu_counting_loops import bins_needed, counts_of_bins, even_counts
from .cpu_distinct_loops import count_or_order, count_runs, order_floats, put_distinct, put_ordered, put_runs
from .cpu_distinct_slices import order_slices, put_slices_in_order

MAX_SERIAL_COUNTED = 1 << 16  # numbers that one thread counts
FEW_NUMBERS = 1 << 10  # numbers for which there are places in any case
MAX_SLICES = 1 << 8  # of which each is put in its place among those before it
DENSE = 4  # times as many places as there are numbers may be needed


@of_any_dtype
def bin_counts(x: Layout, minlength: int) -> Plan | None:
    """How often each of 0, 1, 2, ... occurs, where none is much greater than there are numbers."""
    size = prod(x.shape)
    if not are_contiguous(x) or not 0 < size <= MAX_SERIAL_COUNTED or minlength > MAX_SERIAL_COUNTED:
        return None
    ints = minlength, max(minlength, FEW_NUMBERS, DENSE * size)
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
    return in_order(x, dim, return_index, count_or_order, max(FEW_NUMBERS, DENSE * prod(x.shape)))


@with_integers(distinct_integers)
def distinct(x: Layout, dim: int | None, runs: bool, return_index: bool) -> Plan | None:
    if dim is not None:
        return distinct_slices(x, dim, runs, return_index)
    return in_runs(x, dim) if runs else in_order(x, dim, return_index, order_floats, 0)


def distinct_slices(x: Layout, dim: int, runs: bool, return_index: bool) -> Plan | None:
    """Distinct slices in order, or one of each run, where there are few."""
    before, count, after = folding(x.shape, dim).folded
    if not are_contiguous(x) or not 0 < prod(x.shape) <= MAX_SERIAL_COUNTED or count > MAX_SLICES:
        return None
    result = (3, (count,)), (4, (1,))
    results = (0, (*x.shape[:dim], 0, *x.shape[dim + 1 :])), (1, (count,) if return_index else (0,)), (2, (0,))
    counted = ((0, 4), (2, 4)) if return_index else ((0, 4),)
    ints = before, count, after
    return (
        Step(order_slices, (0,), result, (), (*ints, int(runs)), indices=(3, 4)),
        Step(put_slices_in_order, (0, ~3), results, (), ints, indices=(1, 2), counted=counted),
    )


def in_order(x: Layout, dim: int | None, return_index: bool, kernel: Any, buffer: int) -> Plan | None:
    """The distinct elements in order, on demand where each is among them, and how often each occurs."""
    size = prod(x.shape)
    if dim is not None or not are_contiguous(x) or not 0 < size <= MAX_SERIAL_COUNTED:
        return None
    result = (3, (size,)), (4, (3,))
    table = ((5, (buffer,)),) if buffer else ()
    results = (0, (0,)), (1, x.shape if return_index else (0,)), (2, (0,))
    counted = ((0, 4), (2, 4)) if return_index else ((0, 4),)
    operands = 0, *[~output for output, _ in (*result, *table)]
    put = put_distinct if buffer else put_ordered
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
        Step(count_runs, (0,), ((3, (1,)),), indices=(3,)),
        Step(put_runs, (0,), results, indices=(1, 2), counted=((0, 3), (2, 3))),
    )
