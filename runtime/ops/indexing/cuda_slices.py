"""Slices along a dimension, and single elements, written over by index or by a mask on a CUDA device, and views."""

from math import prod
from typing import Any

from ...device.cuda.array import DeviceArray
from ...errors import ShapeError
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import in_order
from ...kernels.cuda_launch.gather_scatter import added_to_rows, broadcast, collected, rows_at
from ...kernels.cuda_launch.per_element import pinned_reader
from ...shapes import contiguous_strides
from ...tensor import view_shapes
from . import cpu_slices as cpu
from .cuda_gather import nonzero, one_of


@pinned_reader(cpu.index_copy)
def index_copy(a: DeviceArray, dim: int, positions: DeviceArray, source: DeviceArray) -> DeviceArray:
    return _written("index_copy", a, dim, positions, in_order(source), False)


@pinned_reader(cpu.index_fill)
def index_fill(a: DeviceArray, dim: int, positions: DeviceArray, value: Any) -> DeviceArray:
    return _written("index_fill", a, dim, positions, one_of(value, a), True)


def _written(
    op: str, a: DeviceArray, dim: int, positions: DeviceArray, values: DeviceArray, alike: bool
) -> DeviceArray:
    shape = a.shape or (1,)
    before, along, after = prod(shape[:dim]), shape[dim], prod(shape[dim:][1:])
    rows, count = rows_at(op, positions, dim, along, alike), positions.size
    if not a.size or not count:
        return arrays.result_of(a)
    steps = (0, 0, 0) if alike else (count * after, after, 1)
    return collected(in_order(a), rows, values, (before, along, after, count), (0, 1, 0), steps, "last")


@pinned_reader(cpu.put_flat)
def put_flat(a: DeviceArray, positions: DeviceArray, source: DeviceArray, accumulate: bool) -> DeviceArray:
    rows = rows_at("put", in_order(positions).ravel(), 0, a.size, True)
    if not rows.size:
        return arrays.result_of(a)
    table, values = in_order(a).reshape(a.size), in_order(source).ravel()
    return added_to_rows(table, rows, values, "sum" if accumulate else "last").reshape(a.shape)


@pinned_reader(cpu.masked_written)
def masked_written(a: DeviceArray, mask: DeviceArray, source: DeviceArray) -> DeviceArray:
    indices = nonzero(in_order(broadcast(mask, a.shape)).ravel())
    total = indices.shape[0]
    if total > source.size:
        raise ShapeError(
            f"masked_scatter(): Number of elements of source < number of ones in mask: {source.size} < {total}"
        )
    if not total:
        return arrays.result_of(a)
    rows, values = rows_at("masked_scatter", indices.ravel(), 0, a.size, False), in_order(source).ravel()[:total]
    return added_to_rows(in_order(a).reshape(a.size), rows, values, "last").reshape(a.shape)


@pinned_reader(cpu.select_scatter)
def select_scatter(a: DeviceArray, src: DeviceArray, dim: int, index: int) -> DeviceArray:
    return _with_view(a, src, view_shapes.select(a.shape, contiguous_strides(a.shape), 0, dim, index))


@pinned_reader(cpu.slice_scatter)
def slice_scatter(a: DeviceArray, src: DeviceArray, dim: int, start: int, end: int, step: int) -> DeviceArray:
    return _with_view(a, src, view_shapes.slice(a.shape, contiguous_strides(a.shape), 0, dim, start, end, step))


@pinned_reader(cpu.diagonal_scatter)
def diagonal_scatter(a: DeviceArray, src: DeviceArray, offset: int, dim1: int, dim2: int) -> DeviceArray:
    return _with_view(a, src, view_shapes.diagonal(a.shape, contiguous_strides(a.shape), 0, offset, dim1, dim2))


def _with_view(a: DeviceArray, src: DeviceArray, layout: view_shapes.Layout) -> DeviceArray:
    result = arrays.result_of(a)
    shape, steps, first = layout
    if src.size:
        item = result.itemsize
        arrays.copy(result.viewed(tuple(shape), first * item, tuple([item * step for step in steps])), src)
    return result
