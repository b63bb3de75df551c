"""Plans of sums and means, and of what spreads their gradients."""

from __future__ import annotations

from math import prod

from ...dispatch.plan import Ints, Layout, Plan, Step, single
from ...kernels.cpu import flat
from ...kernels.cpu.folding import folding
from ...kernels.cpu.sums import CHUNK
from ...pool.layout import LARGE
from .cpu import grown
from .cpu_reduce_loops import COLUMNS, unit_of


def sum_all(x: Layout) -> Plan | None:
    """One sum of all."""
    if x.strides is not None:
        return None
    return single(flat.total, 1, ()) if prod(x.shape) < LARGE else in_chunks(0, 0, 1, (), prod(x.shape), 1)


def sum_dim(x: Layout, dim: Ints, keepdim: bool) -> Plan | None:
    """Sums along neighbouring dimensions."""
    return _summed(x, dim, keepdim, 1)


def mean_all(x: Layout) -> Plan | None:
    """One sum, divided."""
    return _summed(x, tuple(range(len(x.shape))), False, prod(x.shape))


def mean_dim(x: Layout, dim: Ints, keepdim: bool) -> Plan | None:
    """Sums, divided."""
    return _summed(x, dim, keepdim, prod(x.shape[d] for d in dim))


def _summed(x: Layout, dim: Ints, keepdim: bool, divisor: int) -> Plan | None:
    plan = folding(x.shape, dim, keepdim)
    if x.strides is not None or plan.order or not prod(x.shape):
        return None
    if plan.count == 1 and prod(x.shape) >= LARGE:
        return in_chunks(0, 0, 1, plan.result, prod(x.shape), divisor)
    return (added(0, 0, plan.result, plan.folded, divisor),)


def added(operand: int, output: int, shape: Ints, folded: Ints, divisor: float) -> Step:
    """The call for the sums along of an operand seen as (before, along, after), divided."""
    before, along, after = folded
    rows = (before * after, unit_of(along, after))
    if along == 1 or after == 1:
        return Step(flat.added_rows, (operand,), ((output, shape),), (along,), (float(divisor),), rows)
    return Step(flat.added_columns, (operand,), ((output, shape),), folded, (float(divisor),), rows)


def in_chunks(operand: int, output: int, spare: int, shape: Ints, count: int, divisor: float) -> Plan:
    """The calls for the sum of all of a large operand, divided; `spare` is the number of a result that is not given."""
    chunks = -(-count // CHUNK)
    totals = (spare, (2 * chunks,))  # at least eight bytes for each
    return (
        Step(flat.totals_of_chunks, (operand,), (totals,), rows=(count, CHUNK)),
        Step(flat.total_of_chunks, (), (totals, (output, shape)), (chunks,), (float(divisor),)),
    )


def sum_to_size(x: Layout, size: Ints) -> Plan | None:
    """Sums along the dimensions that `size` lacks or has as 1."""
    dims = grown(size, x.shape)
    plan = folding(x.shape, dims, True)
    if x.strides is not None or plan.order or not prod(x.shape) or not dims:
        return None
    return (added(0, 0, tuple(size), plan.folded, 1),)


def filled(x: Layout, size: Ints) -> Plan | None:
    """One number, many times."""
    return single(flat.spread, 1, tuple(size), (1, prod(size), 1), (1.0,), (prod(size), COLUMNS))


def sum_backward(grad: Layout, shape: Ints, dim: Ints | None) -> Plan | None:
    """Each gradient for all that were added up."""
    return _spread(grad, shape, dim, 1)


def mean_backward(grad: Layout, shape: Ints, dim: Ints | None) -> Plan | None:
    """Each gradient for all elements of which it is the mean, divided by their number."""
    return _spread(grad, shape, dim, prod(shape if dim is None else (shape[d] for d in dim)) or 1)


def _spread(grad: Layout, shape: Ints, dim: Ints | None, divisor: int) -> Plan | None:
    plan = folding(shape, tuple(range(len(shape))) if dim is None else dim)
    if grad.strides is not None or plan.order or not prod(shape):
        return None
    before, along, after = plan.folded
    return single(flat.spread, 1, shape, plan.folded, (float(divisor),), (before * along, -(-COLUMNS // after)))
