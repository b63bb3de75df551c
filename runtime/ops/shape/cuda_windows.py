"""Windows on a CUDA device, copied out or added up, and sums of elements that share a place of memory."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import UINT32, numbers, over_elements, pinned_reader, summed_in
from ...kernels.cuda.loops import divisor
from ...kernels.cuda.moving import windows
from ...kernels.cuda.moving.places import OFFSETS
from ...kernels.cuda.moving.windows import window_kernel
from ...tensor import views
from ..indexing.cuda_rows import added_to_rows
from . import cpu

Ints = tuple[int, ...]


@pinned_reader(cpu.im2col)
def im2col(a: DeviceArray, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> DeviceArray:
    plane = a.shape[-2:]
    result = _counts(plane, kernel_size, dilation, padding, stride)
    shape = (*a.shape[:-3], a.shape[-3] * prod(kernel_size), result[0][1] * result[1][1])
    return _windows(windows.im2col, a, shape, plane, result)


@pinned_reader(cpu.col2im)
def col2im(
    columns: DeviceArray, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> DeviceArray:
    """Zeros to which each column is added where its window lies."""
    result = _counts(output_size, kernel_size, dilation, padding, stride)
    shape = (*columns.shape[:-2], columns.shape[-2] // prod(kernel_size), *output_size)
    return _windows(windows.col2im, columns, shape, output_size, result)


def _counts(plane: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> list[Ints]:
    """Along each of two dimensions: length of the kernel, windows, dilation, stride, padding."""
    each = zip(plane, kernel_size, dilation, padding, stride, strict=True)
    return [(k, (n + 2 * p - (k - 1) * d - 1) // s + 1, d, s, p) for n, k, d, p, s in each]


def _windows(function: Any, a: DeviceArray, shape: Ints, plane: Ints, match: list[Ints]) -> DeviceArray:
    value, result = memory.in_order(a), memory.result(a, shape)
    if result.size > 1 << 30:
        raise RuntimeError(f"expected a result of at most {1 << 30} elements, but it has shape {list(shape)}")
    kernel = window_kernel(function, summed_in(a.dtype))
    over_elements(kernel, result.size, value.ravel(), result, numbers(*plane), *[numbers(*each) for each in match])
    return result


@pinned_reader(cpu.unfold_backward)
def unfold_backward(grad: DeviceArray, sizes: Ints, dim: int, length: int, step: int) -> DeviceArray:
    value = memory.in_order(grad)
    shape = sizes or (1,)
    along, after = shape[dim], prod(shape[dim:][1:])
    count = grad.shape[dim] if sizes else 1
    result = memory.result(grad, sizes)
    kernel = window_kernel(windows.overlapped, summed_in(grad.dtype))
    over_elements(kernel, result.size, value.ravel(), result, *numbers(along, after), numbers(count, length, step))
    return result


@pinned_reader(cpu.restride)
def restride(a: DeviceArray, stride: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int) -> DeviceArray:
    low = min(offset, to_offset)
    read_extent = max(offset + views.span(a.shape, stride), to_offset + views.span(to_size, to_stride)) - low
    storage = memory.result_of_zeros(a, (read_extent,))
    if a.size and not views.may_overlap(a.shape, stride):
        memory.copy(_seen(storage, a.shape, stride, offset - low), a)
    elif a.size:
        storage = _added(storage, a, stride, offset - low)
    return memory.result_of(_seen(storage, to_size, to_stride, to_offset - low))


def _seen(storage: DeviceArray, shape: Ints, stride: Ints, offset: int) -> DeviceArray:
    item = storage.itemsize
    return storage.viewed(tuple(shape), offset * item, tuple(step * item for step in stride))


def _added(storage: DeviceArray, a: DeviceArray, stride: Ints, offset: int) -> DeviceArray:
    """Storage to which elements are added that lie in a layout, in their order where they share a place."""
    sizes, steps = tuple(reversed(a.shape)), tuple(reversed(stride))
    rows = memory.empty((a.size,), np.dtype(np.int32), a.device)
    inner = tuple([numbers(*divisor(n)) for n in sizes[:-1]])
    over_elements(OFFSETS, a.size, rows, numbers(*steps) if steps else numbers(0), inner, UINT32(offset))
    return added_to_rows(storage, rows, memory.in_order(a).ravel())
