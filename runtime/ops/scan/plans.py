"""Plans of scans of contiguous tensors along a dimension; large sums are for kernels that share long lines."""

from __future__ import annotations

from math import prod
from typing import Any

from ...kernels.cpu.plan import Find, Ints, Layout, Plan, Step, are_contiguous, of_any_dtype, with_integers
from . import cpu_loops as loops
from .cpu_cummax import SIDE_BY_SIDE, cumulative_minmax, running_logarithms
from .cpu_cumsum import CHUNK, NARROW

MAX_PLANNED_ELEMENTS = 1 << 16  # elements


def integer_cumsum(x: Layout, dim: int) -> Plan | None:
    shape = x.shape
    if not shape or not are_contiguous(x) or not prod(shape):
        return None
    along, after = shape[dim], prod(shape[dim + 1 :])
    rows = (prod(shape) // along, 1 if after == 1 else 64)
    return (Step(loops.integer_sums_along, (0,), ((0, shape),), (), (along, after), rows, prod(shape), indices=(0,)),)


@with_integers(integer_cumsum)
def cumsum(x: Layout, dim: int) -> Plan | None:
    return _scanned(loops.sums_along, dim, (0,), (x,), (0,))


def cumsum_backward(grad: Layout, dim: int) -> Plan | None:
    return _scanned(loops.sums_along, dim, (0,), (grad,), (1,))


def cumprod(x: Layout, dim: int) -> Plan | None:
    return _scanned(loops.products_along, dim, (0,), (x,))


def linear_recurrence(x: Layout, factor: Layout, dim: int, reverse: bool) -> Plan | None:
    return _scanned(loops.recurrence_along, dim, (0, 1), (x, factor), (int(reverse),))


def logcumsumexp(x: Layout, dim: int) -> Plan | None:
    return _scanned(running_logarithms, dim, (0,), (x,))


def running_minmax(takes_min: int) -> Find:
    @of_any_dtype
    def find(x: Layout, dim: int) -> Plan | None:
        if not x.shape or not prod(x.shape) or not are_contiguous(x):
            return None
        along, after, count = x.shape[dim], prod(x.shape[dim + 1 :]), prod(x.shape)
        results, rows = ((0, x.shape), (1, x.shape)), (count // along, 1 if after == 1 else SIDE_BY_SIDE)
        return (Step(cumulative_minmax, (0,), results, (), (along, after, takes_min), rows, count, indices=(1,)),)

    return find


cummax = running_minmax(0)
cummin = running_minmax(1)


def _scanned(kernel: Any, dim: int, which: Ints, operands: tuple[Layout, ...], how: Ints = ()) -> Plan | None:
    shape = operands[0].shape
    if not are_contiguous(*operands) or not 1 < prod(shape) < MAX_PLANNED_ELEMENTS or not 1 < shape[dim] <= CHUNK:
        return None
    count, after = prod(shape) // shape[dim], prod(shape[dim + 1 :])
    rows = (count, 4 if after <= NARROW else 64)
    return (Step(kernel, which, ((0, shape),), (), (shape[dim], after, *how), rows),)
