"""Plans of reading whole rows by index."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.index_select import take_rows_of
from ...kernels.cpu.plan import Ints, Layout, Plan, Step


def index_select(x: Layout, dim: int, index: Layout) -> Plan | None:
    """Rows of a table."""
    if dim != 0 or not x.shape or len(index.shape) > 1 or x.strides is not None or index.strides is not None:
        return None
    return table_rows(x, index, 2, (prod(index.shape), *x.shape[1:]))


def table_rows(table: Layout, index: Layout, place: int, shape: Ints) -> Plan:
    """Copies of the rows at the indices, which are the array at `place` of the call."""
    rows, width, count = table.shape[0], prod(table.shape[1:]), prod(index.shape)
    return (Step(take_rows_of, (0, place), ((0, shape),), (), (rows, width, count), (count, 1), count * width),)
