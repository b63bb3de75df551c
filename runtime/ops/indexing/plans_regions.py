"""Plans of copies with other elements in the place of a view."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.movement.contiguous import along_path
from ...kernels.cpu.plan import Layout, Plan, are_contiguous, of_any_dtype
from ...tensor import views
from ...tensor.shapes import contiguous_strides
from .plans_writes import into_copy


@of_any_dtype
def select_scatter(x: Layout, src: Layout, dim: int, index: int) -> Plan | None:
    """A slice."""
    return _written(x, src, views.select(x.shape, contiguous_strides(x.shape), 0, dim, index))


@of_any_dtype
def slice_scatter(x: Layout, src: Layout, dim: int, start: int, end: int, step: int) -> Plan | None:
    """Several slices."""
    return _written(x, src, views.slice(x.shape, contiguous_strides(x.shape), 0, dim, start, end, step))


@of_any_dtype
def diagonal_scatter(x: Layout, src: Layout, offset: int, dim1: int, dim2: int) -> Plan | None:
    """A diagonal."""
    return _written(x, src, views.diagonal(x.shape, contiguous_strides(x.shape), 0, offset, dim1, dim2))


def _written(x: Layout, src: Layout, layout: views.Layout) -> Plan | None:
    if not are_contiguous(x) or not prod(src.shape):
        return None
    _, steps, first = layout
    writing = along_path(src, x.shape, tuple(steps), first)
    return writing and into_copy(x, writing._replace(operands=(1,)))
