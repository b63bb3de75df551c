"""Copies on a device with other elements in the place of a view."""

from __future__ import annotations

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import within_reach
from ...tensor import views
from ...tensor.shapes import contiguous_strides
from . import cpu_regions as cpu


@within_reach(cpu.select_scatter)
def select_scatter(a: DeviceArray, src: DeviceArray, dim: int, index: int) -> DeviceArray:
    """A copy of a with src at `index` along `dim`."""
    return _written(a, src, views.select(a.shape, contiguous_strides(a.shape), 0, dim, index))


@within_reach(cpu.slice_scatter)
def slice_scatter(a: DeviceArray, src: DeviceArray, dim: int, start: int, end: int, step: int) -> DeviceArray:
    """A copy of a with src in start:end:step along `dim`."""
    return _written(a, src, views.slice(a.shape, contiguous_strides(a.shape), 0, dim, start, end, step))


@within_reach(cpu.diagonal_scatter)
def diagonal_scatter(a: DeviceArray, src: DeviceArray, offset: int, dim1: int, dim2: int) -> DeviceArray:
    """A copy of a with src on a diagonal."""
    return _written(a, src, views.diagonal(a.shape, contiguous_strides(a.shape), 0, offset, dim1, dim2))


def _written(a: DeviceArray, src: DeviceArray, layout: views.Layout) -> DeviceArray:
    result = memory.result_of(a)
    shape, steps, first = layout
    if src.size:
        item = result.itemsize
        memory.copy(result.viewed(tuple(shape), first * item, tuple([item * step for step in steps])), src)
    return result
