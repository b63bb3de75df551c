"""Plans of ops that only move elements: what the op makes of the places of the elements says where each comes from.
Neighbours that stay neighbours are copied together, as a run."""

from collections.abc import Callable
from math import prod

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ..llvm.addresses import part_of
from .plan import Array, Layout, Plan, Step

MAX_MOVED_ELEMENTS = 1 << 16  # elements that are moved by a plan
MAX_ISOLATED_ELEMENTS = 1 << 12  # of those that have no neighbours
MAX_RUNS = 1 << 10
WORTH = 4  # elements that a run has at least, on average, to be copied as one
RUN = 3  # numbers of a run: its first place, or -1; the step to the next one, 1, 0 or -1; how many there are


def moved(x: Layout, move: Callable[[Array], Array], value: float = 0) -> Plan | None:
    """The plan of an op whose results are elements of x, of any strides, each found where `move`, the op on whole
    numbers of the shape of x, leaves its place, which is above 0; where that gives 0, `value`."""
    if prod(x.shape) > MAX_MOVED_ELEMENTS:
        return None
    try:
        result = move(1 + element_offsets(x))
    except (MemoryError, ValueError):  # more than there can be: for the op to say
        return None
    if result.size > MAX_MOVED_ELEMENTS:
        return None
    if not result.size:
        return (Step(each_moved, (0,), ((0, result.shape),), (value,), tables=(np.empty(0, np.int64),)),)
    table = np.ascontiguousarray(result, np.int64).reshape(-1) - 1
    runs = runs_of(table)
    if WORTH * len(runs) <= table.size and len(runs) <= MAX_RUNS:
        return (Step(runs_moved, (0,), ((0, result.shape),), (value,), tables=(runs.reshape(-1),)),)
    if table.size > MAX_ISOLATED_ELEMENTS:
        return None
    return (Step(each_moved, (0,), ((0, result.shape),), (value,), tables=(table,)),)


def element_offsets(x: Layout) -> Array:
    if x.strides is None:
        return np.arange(prod(x.shape)).reshape(x.shape)
    result = np.zeros(x.shape, np.int64)
    for size, step, grid in zip(x.shape, x.strides, np.ogrid[tuple(map(slice, x.shape))], strict=True):
        result += grid * step if size else 0
    return result


def runs_of(table: Array) -> Array:
    with_gaps = np.where(table < 0, -2 - table.size - table.max(), table)  # -1 is no neighbour of 0
    steps = np.diff(with_gaps)
    unit_steps = abs(steps) <= 1
    begins = ~unit_steps
    begins[1:] |= unit_steps[:-1] & (steps[1:] != steps[:-1])
    first = np.concatenate([[0], np.flatnonzero(begins) + 1])
    counts = np.diff(first, append=table.size)
    inside = np.minimum(first, max(len(steps) - 1, 0))
    each = np.where(counts > 1, steps[inside] if len(steps) else 0, 1)
    return np.stack([table[first], each, counts], 1)


@jit(halves=WRITTEN)
def each_moved(x: Array, out: Array, table: Array, value: float) -> None:
    for i in range(out.size):
        position = table[i]
        if position >= 0:
            out[i] = x[position]
        else:  # no conditional expression, whose type would be a float also for whole numbers
            out[i] = value


@jit(halves=WRITTEN)
def runs_moved(x: Array, out: Array, runs: Array, value: float) -> None:
    at = 0
    for r in range(0, runs.size, 3):
        start, step, count = runs[r], runs[r + 1], runs[r + 2]
        to = part_of(out, at, count)
        at += count
        if start < 0:
            for i in range(count):
                to[i] = value
        elif step == 1:
            row = part_of(x, start, count)
            for i in range(count):
                to[i] = row[i]
        elif step == 0:
            same = x[start]
            for i in range(count):
                to[i] = same
        else:
            row = part_of(x, start - count + 1, count)
            for i in range(count):
                to[i] = row[count - 1 - i]
