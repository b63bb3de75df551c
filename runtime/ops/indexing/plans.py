"""Plans of reading by index: along one dimension, and whole rows of a table."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.index_select import take_rows_of
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from .cpu_take_loops import gather_of, select_of

ELEMENTS = 1024  # that one thread reads, at least


def index_select(x: Layout, dim: int, index: Layout) -> Plan | None:
    """Slices along a dimension."""
    if not x.shape or len(index.shape) > 1 or not are_contiguous(x, index):
        return None
    size, count, step = x.shape[dim], prod(index.shape), prod(x.shape[dim + 1 :])
    shape, rows = (*x.shape[:dim], count, *x.shape[dim + 1 :]), prod(x.shape[:dim]) * count
    return (Step(select_of, (0, 2), ((0, shape),), (), (size, step, count), (rows, unit_of(step)), rows * step),)


def gather(x: Layout, dim: int, index: Layout, sparse_grad: bool) -> Plan | None:
    """One element of a line for each index."""
    around = [[*layout.shape[:dim], *layout.shape[dim + 1 :]] for layout in (x, index)]
    if not x.shape or around[0] != around[1] or not are_contiguous(x, index):
        return None
    before, after = prod(x.shape[:dim]), prod(x.shape[dim + 1 :])
    size, count = x.shape[dim], index.shape[dim]
    rows = before * count, unit_of(after)
    return (Step(gather_of, (0, 2), ((0, index.shape),), (), (before, size, count, after), rows, rows[0] * after),)


def unit_of(width: int) -> int:
    """How many rows of so many elements one thread reads at least."""
    return -(-ELEMENTS // max(width, 1))


def table_rows(table: Layout, index: Layout, place: int, shape: Ints) -> Plan:
    """Copies of the rows at the indices, which are the array at `place` of the call."""
    rows, width, count = table.shape[0], prod(table.shape[1:]), prod(index.shape)
    return (Step(take_rows_of, (0, place), ((0, shape),), (), (rows, width, count), (count, 1), count * width),)
