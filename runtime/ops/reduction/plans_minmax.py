"""Plans of reductions that choose or test elements, of any dtype, and of what gives gradients to those chosen."""

from __future__ import annotations

from math import prod
from typing import Any

from ...kernels.cpu.plan import Find, Ints, Layout, Plan, Step, are_contiguous, of_any_dtype, of_any_layout
from ...kernels.cpu.reduce_layout import Folding, by_groups, folding, folding_of, in_order
from ...kernels.cpu.sums import CHUNK
from . import cpu_minmax_loops as loops

LARGE = 2 * CHUNK  # elements of which each of two threads has a chunk
MAX_TESTED_ELEMENTS = 1 << 16  # elements that are tested: of more, NumPy needs not look at all


def numbered(x: Layout, dim: int | None, keepdim: bool) -> Folding | None:
    """The folding of an operand whose elements have the numbers that they have in the order of its dimensions."""
    return None if dim is None and x.strides is not None else folding_of(x, dim, keepdim)


def argminmax(sign: int, outputs: Ints) -> Find:
    """Extremes and their indices, which are the outputs of these numbers; `max_dim` has indices along `dim` alone."""
    fold_of: Any = numbered if outputs[1] == 0 else folding_of

    @of_any_dtype
    def find(x: Layout, dim: int | None, keepdim: bool) -> Plan | None:
        fold = fold_of(x, dim, keepdim)
        if fold is None or fold.made:
            return None
        results = tuple([(output, fold.result) for output in outputs])
        ints = (sign, *fold.ints)
        return (Step(loops.argminmax, (0,), results, (), ints, rows_of(fold), indices=outputs[1:]),)

    return find


def rows_of(fold: Folding) -> tuple[int, int]:
    return fold.folded[0] * fold.folded[2], 1 if fold.folded[2] == 1 else loops.UNIT


def tested(every: int) -> Find:
    @of_any_dtype
    def find(x: Layout, dim: Ints | None = None, keepdim: bool = False) -> Plan | None:
        fold = folding_of(x, dim, keepdim)
        if not 0 < prod(x.shape) <= MAX_TESTED_ELEMENTS:
            return None
        if fold is None:
            return by_groups(x, dim, keepdim, find, find)
        step = Step(loops.tests, (0,), ((0, fold.result),), (), (every, *fold.ints), rows_of(fold), masks=(0,))
        return in_order((step,), fold)

    return find


def minmax(sign: int, of_rows: Any, of_chunks: Any) -> Find:
    """The greatest, or with sign -1 the least, by these loops; that of all of a large operand in chunks."""

    def find(x: Layout, dim: Ints | int | None = None, keepdim: bool = False) -> Plan | None:
        fold = folding_of(x, dim, keepdim)
        if fold is None:
            return by_groups(x, dim, keepdim, find, find)
        before, along, after = fold.folded
        if not fold.in_rows:
            rows = (before * after, loops.UNIT)
            return in_order((Step(loops.column_minmax, (0,), ((0, fold.result),), (), (sign, *fold.ints), rows),), fold)
        if before > 1 or along < LARGE:
            ints, rows = (sign, along, *fold.steps[1:]), (before, 1)
            return in_order((Step(of_rows, (0,), ((0, fold.result),), (), ints, rows, row=along),), fold)
        chunks = (1, (-(-along // CHUNK),))  # a result that is not given
        ints = (sign, chunks[1][0], *folding(chunks[1], None).steps[1:])
        return (
            Step(of_chunks, (0,), (chunks,), (), (sign,), (along, CHUNK), row=1),
            Step(of_rows, (), (chunks, (0, fold.result)), (), ints, (1, 1)),
        )

    return find


max_dim = argminmax(1, (0, 1))
min_dim = argminmax(-1, (0, 1))
argmax = argminmax(1, (1, 0))
argmin = argminmax(-1, (1, 0))
any_all = any_dim = tested(0)
all_all = all_dim = tested(1)
integer_amax = minmax(1, loops.integer_minmax_of_rows, loops.integer_minmax_of_chunks)
integer_amin = minmax(-1, loops.integer_minmax_of_rows, loops.integer_minmax_of_chunks)


def integer_sums(x: Layout, dim: Ints | int | None = None, keepdim: bool = False) -> Plan | None:
    fold = folding_of(x, dim, keepdim)
    if fold is None:
        return by_groups(x, dim, keepdim, integer_sums, integer_sums)
    before, along, after = fold.folded
    if fold.count > 1 or not fold.dense or along < LARGE:
        rows = (before * after, loops.UNIT)
        step = Step(loops.integer_sums, (0,), ((0, fold.result),), (), fold.ints, rows, indices=(0,))
        return in_order((step,), fold)
    chunks = (1, (-(-along // CHUNK),))  # a result that is not given
    results, ints = (chunks, (0, fold.result)), folding(chunks[1], None).ints
    return (
        Step(loops.integer_sums_of_chunks, (0,), (chunks,), (), (), (along, CHUNK), row=1, indices=(1,)),
        Step(loops.integer_sums, (), results, (), ints, (1, 1), indices=(0,)),
    )


@of_any_layout
def value_selecting_reduction_backward(grad: Layout, shape: Ints, dim: int, indices: Layout) -> Plan | None:
    before, along, after = folding(tuple(shape), dim).folded
    if not are_contiguous(grad, indices) or not prod(grad.shape):
        return None
    ints = along, prod(grad.shape) // (before * after), after
    return (Step(loops.selected_in_zeros, (0, 3), ((0, tuple(shape)),), (), ints, (before, 1), prod(shape)),)
