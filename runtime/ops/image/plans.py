"""Plans of padding contiguous floats by what lies at their borders, and of its transpose."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.plan import Ints, Layout, Plan, Step
from . import cpu_loops as loops
from .cpu_padding import box_of, tables_of


def border_pad(x: Layout, pad: Ints, mode: str) -> Plan | None:
    """Each box by one table for each dimension."""
    padded, tables = len(pad) // 2, tables_of(x.shape, pad, mode)
    shape = (*x.shape[:-padded], *map(len, tables[3 - padded : 3]))
    if x.strides is not None or not prod(shape):
        return None
    tables = [*tables, box_of(x.shape[-padded:])]
    return (Step(loops.gathered_boxes, (0,), ((0, shape),), rows=(prod(x.shape[:-padded]), 1), tables=tuple(tables)),)


def border_pad_backward(grad: Layout, input_shape: Ints, pad: Ints, mode: str) -> Plan | None:
    """Each gradient added to that of the element that was repeated."""
    if grad.strides is not None or not prod(grad.shape):
        return None
    padded, shape = len(pad) // 2, tuple(input_shape)
    tables = (*tables_of(shape, pad, mode), box_of(shape[-padded:]))
    return (Step(loops.collected_boxes, (0,), ((0, shape),), rows=(prod(shape[:-padded]), 1), tables=tables),)
