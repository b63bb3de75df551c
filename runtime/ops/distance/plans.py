"""Plans of distances between the rows of contiguous matrices."""

from math import prod

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous_copy, zeros
from ...kernels.cpu.move_plans import runs_moved
from ...kernels.cpu.plan import Layout, Plan, Step, are_contiguous
from ...shapes import contiguous_strides, is_contiguous
from .cpu import EUCLIDEAN, POWER, ROWS, WORK, difference_norms, euclidean_norms, finish_distances, kind_of_norm


def row_distances(x1: Layout, x2: Layout, p: float) -> Plan | None:
    return _between(x1, x2, p, 1, 0)


def pdist(x: Layout, p: float) -> Plan | None:
    rows, pairs = x.shape[0], x.shape[0] * (x.shape[0] - 1) // 2
    if not pairs * x.shape[1]:
        return (zeros(0, (pairs,)),)
    result, row = _between(x, x, p, 0, 1), np.arange(rows - 1)
    runs = np.stack([row * rows + row + 1, np.ones_like(row), rows - 1 - row], 1).reshape(-1)
    return result and (*result, Step(runs_moved, (~1,), ((0, (pairs,)),), (0,), tables=(runs,)))


def _between(x1: Layout, x2: Layout, p: float, second: int, out: int) -> Plan | None:
    """The calls that make output `out` of operand 0 and the `second` one."""
    shape = (*x1.shape[:-1], x2.shape[-2])
    if not prod(shape) * x1.shape[-1]:
        return (zeros(out, shape),)
    if not are_contiguous(x1, x2):
        return None
    result, work, sizes = ((out, shape),), prod(shape) * x1.shape[-1] // WORK, (*shape[-2:], x1.shape[-1])
    rows, kind = prod(x1.shape[:-1]), kind_of_norm(p)
    last = Step(finish_distances, (0, second), result, (p,), sizes)
    if kind == EUCLIDEAN:
        shared = rows, min(ROWS, x1.shape[-2])
        return Step(euclidean_norms, (0, second), result, ints=sizes, rows=shared, work=work), last
    ints, ends = (*sizes, kind), (last,) if kind == POWER else ()
    transposed = _transposed(x2)
    if transposed.strides is None:
        return (Step(difference_norms, (0, second), result, (p,), ints, (rows, 1), work), *ends)
    copy = contiguous_copy(transposed, second, out + 1)
    return copy and (copy, Step(difference_norms, (0, ~(out + 1)), result, (p,), ints, (rows, 1), work), *ends)


def _transposed(x: Layout) -> Layout:
    *lead, rows, columns = x.shape
    *steps, down, across = contiguous_strides(x.shape)
    shape, strides = (*lead, columns, rows), (*steps, across, down)
    return x._replace(shape=shape, strides=None if is_contiguous(shape, strides) else strides)
