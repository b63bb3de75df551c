"""Plans of reductions that choose or test elements, of any dtype, and of what gives gradients to those chosen."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.folding import Folding, folding
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous, of_any_dtype
from ...kernels.cpu.sums import CHUNK
from . import cpu_choice_loops as loops

FEW = 4096  # elements of which it takes less to find the first extreme than to call NumPy
LARGE = 2 * CHUNK  # elements of which each of two threads has a chunk
MOST = 1 << 16  # elements that are tested: of more, NumPy needs not look at all


@of_any_dtype
def max_dim(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    """The greatest along a dimension, and where they first are."""
    return first_extremes(x, folding(x.shape, dim, keepdim), 1, (0, 1))


@of_any_dtype
def min_dim(x: Layout, dim: int, keepdim: bool) -> Plan | None:
    """The least along a dimension, and where they first are."""
    return first_extremes(x, folding(x.shape, dim, keepdim), -1, (0, 1))


@of_any_dtype
def argmax(x: Layout, dim: int | None, keepdim: bool) -> Plan | None:
    """Where the greatest are."""
    return first_extremes(x, folding(x.shape, dim, keepdim), 1, (1, 0))


@of_any_dtype
def argmin(x: Layout, dim: int | None, keepdim: bool) -> Plan | None:
    """Where the least are."""
    return first_extremes(x, folding(x.shape, dim, keepdim), -1, (1, 0))


def first_extremes(x: Layout, fold: Folding, sign: int, outputs: Ints) -> Plan | None:
    """Extremes and where they are, which are the outputs of these numbers; of long rows NumPy is faster."""
    before, along, after = fold.folded
    if x.strides is not None or fold.order or not prod(x.shape) or is_long(x.shape, along, after):
        return None
    values, places = outputs
    results = (values, fold.result), (places, fold.result)
    rows = (before * after, 1 if after == 1 else loops.UNIT)
    return (Step(loops.first_extremes, (0,), results, (), (sign, along, after), rows, indices=(places,)),)


def is_long(shape: Ints, along: int, after: int) -> bool:
    """Whether these are many elements in long rows."""
    return after == 1 and along > loops.SHORT and prod(shape) > FEW


@of_any_dtype
def any_all(x: Layout) -> Plan | None:
    """Whether some element is not zero."""
    return _tested(x, None, False, 0)


@of_any_dtype
def any_dim(x: Layout, dim: Ints, keepdim: bool) -> Plan | None:
    """Whether some element along the dimensions is not zero."""
    return _tested(x, dim, keepdim, 0)


@of_any_dtype
def all_all(x: Layout) -> Plan | None:
    """Whether no element is zero."""
    return _tested(x, None, False, 1)


@of_any_dtype
def all_dim(x: Layout, dim: Ints, keepdim: bool) -> Plan | None:
    """Whether no element along the dimensions is zero."""
    return _tested(x, dim, keepdim, 1)


def _tested(x: Layout, dim: Ints | None, keepdim: bool, every: int) -> Plan | None:
    fold = folding(x.shape, dim, keepdim)
    before, along, after = fold.folded
    if x.strides is not None or fold.order or not 0 < prod(x.shape) <= MOST:
        return None
    rows = (before * after, 1 if after == 1 else loops.UNIT)
    return (Step(loops.tests, (0,), ((0, fold.result),), (), (every, along, after), rows, masks=(0,)),)


def greatest_of_all(x: Layout) -> Plan | None:
    """The greatest of all whole numbers, or bools."""
    return greatest(x, None, False)


def least_of_all(x: Layout) -> Plan | None:
    """The least of all."""
    return least(x, None, False)


def greatest(x: Layout, dim: Ints | None, keepdim: bool) -> Plan | None:
    """The greatest along neighbouring dimensions."""
    return whole_extremes(x, folding(x.shape, dim, keepdim), 1)


def least(x: Layout, dim: Ints | None, keepdim: bool) -> Plan | None:
    """The least along neighbouring dimensions."""
    return whole_extremes(x, folding(x.shape, dim, keepdim), -1)


def whole_extremes(x: Layout, fold: Folding, sign: int) -> Plan | None:
    """Extremes of whole numbers, or of what is true or not; that of all of a large operand in chunks."""
    before, along, after = fold.folded
    if after != 1:
        return column_extremes(x, fold, sign)
    if x.strides is not None or fold.order or not prod(x.shape):
        return None
    if before > 1 or along < LARGE:
        ints, rows = (sign, along), (before, 1)
        return (Step(loops.whole_extremes_of_rows, (0,), ((0, fold.result),), (), ints, rows, row=along),)
    chunks = (1, (-(-along // CHUNK),))  # a result that is not given
    return (
        Step(loops.whole_extremes_of_chunks, (0,), (chunks,), (), (sign,), (along, CHUNK), row=1),
        Step(loops.whole_extremes_of_rows, (), (chunks, (0, fold.result)), (), (sign, chunks[1][0]), (1, 1)),
    )


def column_extremes(x: Layout, fold: Folding, sign: int) -> Plan | None:
    """Extremes of elements that need not be neighbours."""
    before, along, after = fold.folded
    if x.strides is not None or fold.order or not prod(x.shape):
        return None
    ints, rows = (sign, along, after), (before * after, loops.UNIT)
    return (Step(loops.column_extremes, (0,), ((0, fold.result),), (), ints, rows),)


def whole_sum_of_all(x: Layout) -> Plan | None:
    """The sum of all whole numbers, or the count of what is true."""
    return whole_sums(x, None, False)


def whole_sums(x: Layout, dim: Ints | None, keepdim: bool) -> Plan | None:
    """Sums of whole numbers along neighbouring dimensions; that of all of a large operand in chunks."""
    fold = folding(x.shape, dim, keepdim)
    before, along, after = fold.folded
    if x.strides is not None or fold.order or not prod(x.shape):
        return None
    if fold.count > 1 or along < LARGE:
        rows = (before * after, loops.UNIT)
        return (Step(loops.whole_sums, (0,), ((0, fold.result),), (), (along, after), rows, indices=(0,)),)
    chunks = (1, (-(-along // CHUNK),))  # a result that is not given
    return (
        Step(loops.whole_sums_of_chunks, (0,), (chunks,), (), (), (along, CHUNK), row=1, indices=(1,)),
        Step(loops.whole_sums, (), (chunks, (0, fold.result)), (), (chunks[1][0], 1), (1, 1), indices=(0,)),
    )


def value_selecting_reduction_backward(grad: Layout, shape: Ints, dim: int, indices: Layout) -> Plan | None:
    """Zeros, and each gradient at the place that its element came from."""
    before, along, after = folding(tuple(shape), dim).folded
    if not are_contiguous(grad, indices) or not prod(grad.shape):
        return None
    ints = along, prod(grad.shape) // (before * after), after
    return (Step(loops.selected_in_zeros, (0, 3), ((0, tuple(shape)),), (), ints, (before, 1), prod(shape)),)
