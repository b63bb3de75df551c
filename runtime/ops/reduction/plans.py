"""Plans of reductions of floats, which are read as they lie in memory, and of their gradients, for contiguous ones.

`dim` is a sorted tuple of dimensions, or one, or None for all. Sums without nan are of contiguous floats.
"""

import functools
import math
from math import prod
from typing import Any

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous, single, with_integers
from ...kernels.cpu.reduce_layout import (
    Folding,
    behind,
    by_groups,
    folding,
    folding_of,
    in_order,
    with_shape,
)
from ...kernels.cpu.sums import CHUNK
from . import cpu_backward_loops as backward
from . import cpu_reduce_loops as loops
from . import cpu_scaled_loops as scaled
from .plans_minmax import LARGE, integer_amax, integer_amin, integer_sums, minmax

Dim = Ints | int | None
NORM_ELEMENTS_THRESHOLD = 1 << 16  # elements, of which norms are joined by groups of dimensions however these lie
LONG_ROW = 16
WRITE_ELEMENTS_THRESHOLD = 1 << 18  # elements: to write them takes longer than the 20 us that Python needs for a view


def _reduced(kernel: Any, fold: Folding | None, numbers: tuple[float, ...] = (), ints: Ints = ()) -> Plan | None:
    if fold is None:
        return None
    return in_order(single(kernel, 1, fold.result, numbers, ints or fold.ints, _results_of(fold)), fold)


def _expand_grad(kernel: Any, fold: Folding, *operands: Layout, numbers: tuple[float, ...] = ()) -> Plan | None:
    if not are_contiguous(*operands) or fold.order or not prod(fold.shape):
        return None
    return single(kernel, len(operands), fold.shape, numbers, fold.folded, _results_of(fold))


def _results_of(fold: Folding) -> tuple[int, int]:
    return fold.folded[0] * fold.folded[2], loops.unit_of(*fold.folded[1:])


@with_integers(integer_sums)
def sum_all(x: Layout) -> Plan | None:
    fold = folding_of(x, None)
    short = prod(x.shape) < LARGE and (x.strides is None or (fold and fold.dense))
    return single(loops.total, 1, ()) if short else summed(x, None, False, 1)


@with_integers(integer_sums)
def sum_dim(x: Layout, dim: Dim, keepdim: bool) -> Plan | None:
    return summed(x, dim, keepdim, 1)


def mean_all(x: Layout) -> Plan | None:
    return summed(x, None, False, prod(x.shape))


def mean_dim(x: Layout, dim: Dim, keepdim: bool) -> Plan | None:
    return summed(x, dim, keepdim, folding(x.shape, dim).folded[1])


def summed(x: Layout, dim: Dim, keepdim: bool, divisor: float) -> Plan | None:
    fold = folding_of(x, dim, keepdim, one_by_one=dim is None)
    if fold is None:
        sums = functools.partial(summed, divisor=1), functools.partial(summed, divisor=divisor)
        return by_groups(x, dim, keepdim, *sums)
    if fold.count == 1 and fold.dense and prod(x.shape) >= LARGE:
        return sum_of_chunks(fold.result, prod(x.shape), divisor)
    return in_order((sum_step(0, 0, fold.result, fold, divisor),), fold)


def sum_step(operand: int, output: int, shape: Ints, fold: Folding, divisor: float) -> Step:
    value, results = (operand,), ((output, shape),)
    if fold.in_rows:
        ints, rows = row_ints(fold), _results_of(fold)
        return Step(loops.row_sums, value, results, (divisor,), ints, rows, row=fold.folded[1])
    return Step(loops.grouped_column_sums, value, results, (divisor,), fold.ints, _results_of(fold))


def row_ints(fold: Folding) -> Ints:
    return (fold.folded[1], *fold.steps[1:])


def sum_of_chunks(shape: Ints, count: int, divisor: float) -> Plan:
    plan = in_chunks(loops.totals_of_chunks, loops.total_of_chunks, shape, count, (divisor,))
    return (*plan, Step(loops.finish_sum, (0,), ((0, shape),), (divisor,)))


def in_chunks(each: Any, combine: Any, shape: Ints, count: int, numbers: tuple[float, ...] = ()) -> Plan:
    chunks = -(-count // CHUNK)
    made = (1, (2 * chunks,))  # a result that is not given: at least eight bytes for each
    return (
        Step(each, (0,), (made,), rows=(count, CHUNK), row=1),
        Step(combine, (), (made, (0, shape)), numbers, (chunks,)),
    )


def prod_all(x: Layout) -> Plan | None:
    return prod_dim(x, None, False)


def prod_dim(x: Layout, dim: Dim, keepdim: bool) -> Plan | None:
    fold = folding_of(x, dim, keepdim)
    if fold is None:
        return by_groups(x, dim, keepdim, prod_dim, prod_dim)
    if fold.dense and fold.count == 1 and prod(x.shape) >= LARGE:
        return in_chunks(loops.products_of_chunks, loops.product_of_chunks, fold.result, prod(x.shape))
    if fold.in_rows:
        return _reduced(loops.products_of_rows, fold, ints=row_ints(fold))
    return _reduced(loops.column_products, fold)


def sum_to_size(x: Layout, size: Ints) -> Plan | None:
    dims = grown(size, x.shape)
    plan = summed(x, dims, True, 1) if dims else None
    return plan and with_shape(plan, size)


@functools.lru_cache(maxsize=4096)
def grown(size: Ints, to: Ints) -> Ints:
    """The dimensions of `to` that `size` lacks or has as 1."""
    new = len(to) - len(size)
    return tuple(d for d in range(len(to)) if d < new or (size[d - new] == 1 and to[d] != 1))


def _last_step(kernel: Any, fold: Folding, number: float, *ints: int) -> Step:
    return Step(kernel, (0,), ((0, fold.result),), (number,), (*ints, *fold.ints))


def norm(x: Layout, p: float, dim: Dim, keepdim: bool) -> Plan | None:
    if p == 2:
        return _euclidean(x, dim, keepdim)
    if p and folding(x.shape, dim).folded[1] == 1:  # powers and roots would lose digits of the one |x|
        p = 1
    if math.isinf(p) or p == 0 or p == 1:
        is_large = prod(x.shape) > NORM_ELEMENTS_THRESHOLD
        if x.strides is not None or not prod(x.shape) or (folding(x.shape, dim).order and is_large):
            return None
        if math.isinf(p):
            return _of_each(loops.sizes, x, (), amax(x, dim, keepdim) if p > 0 else amin(x, dim, keepdim))
        return _of_each(loops.sizes if p else loops.not_zero, x, (), summed(x, dim, keepdim, 1))
    fold = folding_of(x, dim, keepdim)
    if fold is None or x.strides is not None:
        return None
    powers = _of_each(loops.size_powers, x, (p,), summed(x, dim, keepdim, 1))
    return powers and (*powers, _last_step(scaled.finish_norms, fold, p))


def _euclidean(x: Layout, dim: Dim, keepdim: bool) -> Plan | None:
    fold = folding_of(x, dim, keepdim)
    if fold is None:  # larger ones whose rows are short are sooner brought together
        if prod(x.shape) > NORM_ELEMENTS_THRESHOLD and (x.strides is not None or x.shape[-1] < LONG_ROW):
            return None
        return by_groups(x, dim, keepdim, _euclidean, _euclidean)
    if fold.dense and fold.count == 1 and prod(x.shape) >= LARGE:
        plan = in_chunks(loops.squares_of_chunks, loops.total_of_chunks, fold.result, prod(x.shape), (1,))
    else:
        plan = single(loops.square_sums, 1, fold.result, (), fold.ints, _results_of(fold))
    return in_order((*plan, _last_step(scaled.finish_norms, fold, 2)), fold)


def _of_each(kernel: Any, x: Layout, numbers: tuple[float, ...], then: Plan | None) -> Plan | None:
    count = prod(x.shape)
    each = (Step(kernel, (0,), ((0, x.shape),), numbers, rows=(count, loops.COLUMNS), row=1),)
    return then and behind(each, then)


amax = max_all = with_integers(integer_amax)(minmax(1, loops.minmax_of_rows, loops.minmax_of_chunks))
amin = min_all = with_integers(integer_amin)(minmax(-1, loops.minmax_of_rows, loops.minmax_of_chunks))


def filled(x: Layout, size: Ints) -> Plan | None:
    return divided(Layout((), None), size, None, 1) if x.strides is None else None


def sum_backward(grad: Layout, shape: Ints, dim: Dim) -> Plan | None:
    return None if stands(prod(grad.shape), shape) else divided(grad, shape, dim, 1)


def mean_backward(grad: Layout, shape: Ints, dim: Dim) -> Plan | None:
    return None if stands(prod(grad.shape), shape) else divided(grad, shape, dim, folding(shape, dim).folded[1])


def stands(count: int, shape: Ints) -> bool:
    """Whether one gradient stands for so many elements that writing them costs more than ops need to see it."""
    return count == 1 and prod(shape) >= WRITE_ELEMENTS_THRESHOLD


def divided(grad: Layout, shape: Ints, dim: Dim, divisor: float) -> Plan | None:
    fold = folding(tuple(shape), dim)
    if grad.strides is not None or fold.order or not prod(shape):
        return None
    before, along, after = fold.folded
    rows = (before * along, -(-loops.COLUMNS // after))
    return single(backward.broadcast_divided, 1, tuple(shape), (divisor,), fold.folded, rows, after)


def prod_backward(grad: Layout, x: Layout, dim: Dim) -> Plan | None:
    return _expand_grad(backward.prod_backward_loop, folding(x.shape, dim), grad, x)
