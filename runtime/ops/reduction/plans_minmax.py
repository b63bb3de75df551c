"""Plans of reductions that choose or test elements, of any dtype, and of what gives gradients to those chosen."""

from __future__ import annotations

import functools
from math import prod

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous, of_any_dtype, of_any_layout
from ...kernels.cpu.reduce_layout import Folding, by_groups, folding, folding_of, in_order
from ...kernels.cpu.sums import CHUNK
from . import cpu_minmax_loops as loops

LARGE = 2 * CHUNK  # elements of which each of two threads has a chunk
MAX_TESTED_ELEMENTS = 1 << 16  # elements that are tested: of more, NumPy needs not look at all


@of_any_dtype
def max_dim(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    return argminmax(x, folding_of(x, dim, keepdim), 1, (0, 1))


@of_any_dtype
def min_dim(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    return argminmax(x, folding_of(x, dim, keepdim), -1, (0, 1))


@of_any_dtype
def argmax(x: Layout, dim: int | None, keepdim: bool) -> Plan | None:
    return argminmax(x, numbered(x, dim, keepdim), 1, (1, 0))


@of_any_dtype
def argmin(x: Layout, dim: int | None, keepdim: bool) -> Plan | None:
    return argminmax(x, numbered(x, dim, keepdim), -1, (1, 0))


def numbered(x: Layout, dim: int | None, keepdim: bool) -> Folding | None:
    """The folding of an operand whose elements have the numbers that they have in the order of its dimensions."""
    return None if dim is None and x.strides is not None else folding_of(x, dim, keepdim)


def argminmax(x: Layout, fold: Folding | None, sign: int, outputs: Ints) -> Plan | None:
    if fold is None or fold.made:
        return None
    values, positions = outputs
    results = (values, fold.result), (positions, fold.result)
    return (Step(loops.argminmax, (0,), results, (), (sign, *fold.ints), rows_of(fold), indices=(positions,)),)


def rows_of(fold: Folding) -> tuple[int, int]:
    return fold.folded[0] * fold.folded[2], 1 if fold.folded[2] == 1 else loops.UNIT


@of_any_dtype
def any_all(x: Layout) -> Plan | None:
    return _tested(x, None, False, 0)


@of_any_dtype
def any_dim(x: Layout, dim: Ints, keepdim: bool) -> Plan | None:
    return _tested(x, dim, keepdim, 0)


@of_any_dtype
def all_all(x: Layout) -> Plan | None:
    return _tested(x, None, False, 1)


@of_any_dtype
def all_dim(x: Layout, dim: Ints, keepdim: bool) -> Plan | None:
    return _tested(x, dim, keepdim, 1)


def _tested(x: Layout, dim: Ints | None, keepdim: bool, every: int) -> Plan | None:
    fold, tested = folding_of(x, dim, keepdim), functools.partial(_tested, every=every)
    if not 0 < prod(x.shape) <= MAX_TESTED_ELEMENTS:
        return None
    if fold is None:
        return by_groups(x, dim, keepdim, tested, tested)
    step = Step(loops.tests, (0,), ((0, fold.result),), (), (every, *fold.ints), rows_of(fold), masks=(0,))
    return in_order((step,), fold)


def amax_of_all(x: Layout) -> Plan | None:
    return integer_amax(x, None, False)


def amin_of_all(x: Layout) -> Plan | None:
    return integer_amin(x, None, False)


def integer_amax(x: Layout, dim: Ints | None, keepdim: bool) -> Plan | None:
    return integer_minmax(x, dim, keepdim, 1)


def integer_amin(x: Layout, dim: Ints | None, keepdim: bool) -> Plan | None:
    return integer_minmax(x, dim, keepdim, -1)


def integer_minmax(x: Layout, dim: Ints | None, keepdim: bool, sign: int) -> Plan | None:
    fold, minmax = folding_of(x, dim, keepdim), functools.partial(integer_minmax, sign=sign)
    if fold is None:
        return by_groups(x, dim, keepdim, minmax, minmax)
    if not fold.in_rows:
        return column_minmax(fold, sign)
    before, along, _ = fold.folded
    if before > 1 or along < LARGE:
        ints, rows = (sign, along, *fold.steps[1:]), (before, 1)
        step = Step(loops.integer_minmax_of_rows, (0,), ((0, fold.result),), (), ints, rows, row=along)
        return in_order((step,), fold)
    chunks = (1, (-(-along // CHUNK),))  # a result that is not given
    ints = (sign, chunks[1][0], *folding(chunks[1], None).steps[1:])
    return (
        Step(loops.integer_minmax_of_chunks, (0,), (chunks,), (), (sign,), (along, CHUNK), row=1),
        Step(loops.integer_minmax_of_rows, (), (chunks, (0, fold.result)), (), ints, (1, 1)),
    )


def column_minmax(fold: Folding, sign: int) -> Plan | None:
    rows = (fold.folded[0] * fold.folded[2], loops.UNIT)
    return in_order((Step(loops.column_minmax, (0,), ((0, fold.result),), (), (sign, *fold.ints), rows),), fold)


def integer_sum_of_all(x: Layout) -> Plan | None:
    return integer_sums(x, None, False)


def integer_sums(x: Layout, dim: Ints | None, keepdim: bool) -> Plan | None:
    fold = folding_of(x, dim, keepdim)
    if fold is None:
        return by_groups(x, dim, keepdim, integer_sums, integer_sums)
    before, along, after = fold.folded
    if fold.count > 1 or not fold.dense or along < LARGE:
        rows = (before * after, loops.UNIT)
        step = Step(loops.integer_sums, (0,), ((0, fold.result),), (), fold.ints, rows, indices=(0,))
        return in_order((step,), fold)
    chunks = (1, (-(-along // CHUNK),))  # a result that is not given
    return (
        Step(loops.integer_sums_of_chunks, (0,), (chunks,), (), (), (along, CHUNK), row=1, indices=(1,)),
        Step(
            loops.integer_sums, (), (chunks, (0, fold.result)), (), folding(chunks[1], None).ints, (1, 1), indices=(0,)
        ),
    )


@of_any_layout
def value_selecting_reduction_backward(grad: Layout, shape: Ints, dim: int, indices: Layout) -> Plan | None:
    before, along, after = folding(tuple(shape), dim).folded
    if not are_contiguous(grad, indices) or not prod(grad.shape):
        return None
    ints = along, prod(grad.shape) // (before * after), after
    return (Step(loops.selected_in_zeros, (0, 3), ((0, tuple(shape)),), (), ints, (before, 1), prod(shape)),)
