"""Plans of sums of what is not nan, of contiguous floats along neighbouring dimensions, and of their gradients."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.folding import folding
from ...kernels.cpu.plan import Ints, Layout, Plan, are_contiguous, single, with_integers
from . import cpu_present_loops as nansum_loops
from . import cpu_reduce_loops as reduce_loops
from . import plans
from .plans_choices import LARGE, integer_sums


@with_integers(integer_sums)
def nansum(x: Layout, dim: Ints | int | None, keepdim: bool) -> Plan | None:
    """The sums; that of all of a large operand in chunks."""
    fold = folding(x.shape, dim, keepdim)
    if x.strides is not None or fold.order or not prod(x.shape):
        return None
    if fold.count == 1 and prod(x.shape) >= LARGE:
        chunked = nansum_loops.nansum_of_chunks, reduce_loops.total_of_chunks
        return plans.in_chunks(*chunked, fold.result, prod(x.shape), (1,))
    before, along, after = fold.folded
    rows = before * after, reduce_loops.unit_of(along, after)
    return single(nansum_loops.nansum_loop, 1, fold.result, (), fold.folded, rows, along if after == 1 else 0)


def nansum_backward(grad: Layout, x: Layout, dim: Ints | int | None) -> Plan | None:
    fold = folding(x.shape, dim)
    if not are_contiguous(grad, x) or fold.order or not prod(x.shape):
        return None
    before, along, after = fold.folded
    rows = before * along, -(-reduce_loops.COLUMNS // after)
    return single(nansum_loops.nansum_gradients, 2, x.shape, (), fold.folded, rows, after)
