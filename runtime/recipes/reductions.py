"""Recipes of sums and means, and of what spreads their gradients."""

from __future__ import annotations

from math import prod

from ..kernels.cpu import flat
from ..kernels.cpu.folding import folding
from ..kernels.cpu.reductions import grown
from ..recipe import Ints, Layout, Recipe, Step, single


def sum_all(x: Layout) -> Recipe | None:
    """One sum of all."""
    return single(flat.total, 1, ()) if x.strides is None else None


def sum_dim(x: Layout, dim: Ints, keepdim: bool) -> Recipe | None:
    """Sums along neighbouring dimensions."""
    return _summed(x, dim, keepdim, 1)


def mean_all(x: Layout) -> Recipe | None:
    """One sum, divided."""
    return _summed(x, tuple(range(len(x.shape))), False, prod(x.shape))


def mean_dim(x: Layout, dim: Ints, keepdim: bool) -> Recipe | None:
    """Sums, divided."""
    return _summed(x, dim, keepdim, prod(x.shape[d] for d in dim))


def _summed(x: Layout, dim: Ints, keepdim: bool, divisor: int) -> Recipe | None:
    plan = folding(x.shape, dim, keepdim)
    if x.strides is not None or plan.order or not prod(x.shape):
        return None
    return (added(0, 0, plan.result, plan.folded, divisor),)


def added(operand: int, output: int, shape: Ints, folded: Ints, divisor: float) -> Step:
    """The call for the sums along of an operand seen as (before, along, after), divided."""
    before, along, after = folded
    if along == 1 or after == 1:
        return Step(flat.added_rows, (operand,), ((output, shape),), (before * after, along), (float(divisor),))
    return Step(flat.added_columns, (operand,), ((output, shape),), folded, (float(divisor),))


def sum_to_size(x: Layout, size: Ints) -> Recipe | None:
    """Sums along the dimensions that `size` lacks or has as 1."""
    dims = grown(size, x.shape)
    plan = folding(x.shape, dims, True)
    if x.strides is not None or plan.order or not prod(x.shape) or not dims:
        return None
    return (added(0, 0, tuple(size), plan.folded, 1),)


def filled(x: Layout, size: Ints) -> Recipe | None:
    """One number, many times."""
    return single(flat.spread, 1, tuple(size), (1, prod(size), 1), (1.0,))


def spread_sum(grad: Layout, shape: Ints, dim: Ints | None) -> Recipe | None:
    """Each gradient for all that were added up."""
    return _spread(grad, shape, dim, 1)


def spread_mean(grad: Layout, shape: Ints, dim: Ints | None) -> Recipe | None:
    """The same, divided."""
    return _spread(grad, shape, dim, prod(shape if dim is None else (shape[d] for d in dim)) or 1)


def _spread(grad: Layout, shape: Ints, dim: Ints | None, divisor: int) -> Recipe | None:
    plan = folding(shape, tuple(range(len(shape))) if dim is None else dim)
    if grad.strides is not None or plan.order or not prod(shape):
        return None
    return single(flat.spread, 1, shape, plan.folded, (float(divisor),))
