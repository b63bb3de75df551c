"""Plans of scans of contiguous floats along a dimension; large ones are for kernels that share long lines."""

from __future__ import annotations

from math import prod
from typing import Any

from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from . import cpu_plan_loops as loops
from .cpu_chunks import CHUNK
from .cpu_logarithms import running_logarithms
from .cpu_sums import NARROW

MOST = 1 << 16  # elements


def cumsum(x: Layout, dim: int) -> Plan | None:
    """Running sums."""
    return _scanned(loops.sums_along, dim, (0,), (x,), (0,))


def cumsum_backward(grad: Layout, dim: int) -> Plan | None:
    """Running sums from the end."""
    return _scanned(loops.sums_along, dim, (0,), (grad,), (1,))


def cumprod(x: Layout, dim: int) -> Plan | None:
    """Running products."""
    return _scanned(loops.products_along, dim, (0,), (x,))


def linear_recurrence(x: Layout, factor: Layout, dim: int, reverse: bool) -> Plan | None:
    """Each element, and a factor of what comes before it."""
    return _scanned(loops.recurrence_along, dim, (0, 1), (x, factor), (int(reverse),))


def logcumsumexp(x: Layout, dim: int) -> Plan | None:
    """Running logarithms of sums of exponentials."""
    return _scanned(running_logarithms, dim, (0,), (x,))


def _scanned(kernel: Any, dim: int, which: Ints, operands: tuple[Layout, ...], how: Ints = ()) -> Plan | None:
    shape = operands[0].shape
    if not are_contiguous(*operands) or not 1 < prod(shape) < MOST or not 1 < shape[dim] <= CHUNK:
        return None
    count, after = prod(shape) // shape[dim], prod(shape[dim + 1 :])
    rows = (count, 4 if after <= NARROW else 64)
    return (Step(kernel, which, ((0, shape),), (), (shape[dim], after, *how), rows),)
