"""Plans of variances and extremes, and of their gradients."""

from __future__ import annotations

import math
from math import prod

from ...dispatch.plan import Ints, Layout, Plan, single
from ...kernels.cpu import flat
from ...kernels.cpu.folding import Folding, folding
from .cpu_reduce_loops import unit_of


def var_dim(x: Layout, dim: Ints, correction: float, keepdim: bool) -> Plan | None:
    """Variances along neighbouring dimensions."""
    plan = folding(x.shape, dim, keepdim)
    if x.strides is not None or plan.order or prod(x.shape) == 0:
        return None
    divisor = max(prod(x.shape[d] for d in dim) - correction, 0)
    return single(flat.variances_along, 1, plan.result, plan.folded, (float(divisor),), outputs_of(plan))


def var_backward(grad: Layout, x: Layout, dim: Ints, correction: float) -> Plan | None:
    """2 g (x - mean) / (n - correction)."""
    plan = _plan(x, dim, grad)
    if plan is None:
        return None
    free = plan.folded[1] - correction
    return single(
        flat.variance_backward, 2, x.shape, plan.folded, (2 / free if free > 0 else math.inf,), outputs_of(plan)
    )


def max_all(x: Layout) -> Plan | None:
    """The greatest of all."""
    return single(flat.extreme_of, 1, (), (1,)) if x.strides is None and prod(x.shape) > 0 else None


def min_all(x: Layout) -> Plan | None:
    """The least of all."""
    return single(flat.extreme_of, 1, (), (-1,)) if x.strides is None and prod(x.shape) > 0 else None


def extremum_backward(grad: Layout, x: Layout, result: Layout, dim: Ints | int | None) -> Plan | None:
    """The gradient, shared between equals."""
    plan = _plan(x, dim, grad, result)
    return None if plan is None else single(flat.extreme_backward, 3, x.shape, plan.folded, (), outputs_of(plan))


def outputs_of(plan: Folding) -> tuple[int, int]:
    """What threads share: the elements of the reduction's result."""
    return plan.count, unit_of(*plan.folded[1:])


def _plan(x: Layout, dim: Ints | int | None, *others: Layout) -> Folding | None:
    """How x is folded; None where it or another operand does not lie for that."""
    dims = tuple(range(len(x.shape))) if dim is None or not x.shape else (dim,) if isinstance(dim, int) else dim
    plan = folding(x.shape, dims)
    contiguous = all(operand.strides is None for operand in (x, *others))
    return plan if contiguous and not plan.order and prod(x.shape) > 0 else None
