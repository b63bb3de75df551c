"""Windows, flips, rolls and triangles on a CUDA device, and sums of elements that share a place of memory."""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda import index_maps
from ...kernels.cuda.elementwise import divisor
from ...kernels.cuda.index_maps import OFFSETS, flip_kernel, triangles, window_kernel
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.elementwise import between
from ...kernels.cuda_launch.gather_scatter import Ints, added_to_rows
from ...kernels.cuda_launch.layouts import steps_in
from ...kernels.cuda_launch.per_element import UINT32, numbers, over_elements, pinned_reader, summed_in
from ...tensor import view_shapes
from . import cpu


@pinned_reader(cpu.im2col)
def im2col(a: Array, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    plane = a.shape[-2:]
    result = _counts(plane, kernel_size, dilation, padding, stride)
    shape = (*a.shape[:-3], a.shape[-3] * prod(kernel_size), result[0][1] * result[1][1])
    return _windows(index_maps.im2col, a, shape, plane, result)


@pinned_reader(cpu.col2im)
def col2im(columns: Array, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    result = _counts(output_size, kernel_size, dilation, padding, stride)
    shape = (*columns.shape[:-2], columns.shape[-2] // prod(kernel_size), *output_size)
    return _windows(index_maps.col2im, columns, shape, output_size, result)


def _counts(plane: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> list[Ints]:
    """Along each of two dimensions: length of the kernel, windows, dilation, stride, padding."""
    each = zip(plane, kernel_size, dilation, padding, stride, strict=True)
    return [(k, (n + 2 * p - (k - 1) * d - 1) // s + 1, d, s, p) for n, k, d, p, s in each]


def _windows(function: Any, a: Array, shape: Ints, plane: Ints, match: list[Ints]) -> Array:
    value, result = arrays.in_order(a), arrays.result(a, shape)
    if result.size > 1 << 30:
        raise RuntimeError(f"expected a result of at most {1 << 30} elements, but it has shape {list(shape)}")
    kernel = window_kernel(function, summed_in(a.dtype))
    over_elements(kernel, result.size, value.ravel(), result, numbers(*plane), *[numbers(*each) for each in match])
    return result


@pinned_reader(cpu.unfold_backward)
def unfold_backward(grad: Array, sizes: Ints, dim: int, length: int, step: int) -> Array:
    value = arrays.in_order(grad)
    shape = sizes or (1,)
    along, after = shape[dim], prod(shape[dim:][1:])
    count = grad.shape[dim] if sizes else 1
    result = arrays.result(grad, sizes)
    kernel = window_kernel(index_maps.overlapped, summed_in(grad.dtype))
    over_elements(kernel, result.size, value.ravel(), result, *numbers(along, after), numbers(count, length, step))
    return result


@pinned_reader(cpu.restride)
def restride(a: Array, stride: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int) -> Array:
    low = min(offset, to_offset)
    ends = offset + view_shapes.span(a.shape, stride), to_offset + view_shapes.span(to_size, to_stride)
    read_extent = max(ends) - low
    storage = arrays.result_of_zeros(a, (read_extent,))
    if a.size and not view_shapes.may_overlap(a.shape, stride):
        arrays.copy(_seen(storage, a.shape, stride, offset - low), a)
    elif a.size:
        storage = _added(storage, a, stride, offset - low)
    return arrays.result_of(_seen(storage, to_size, to_stride, to_offset - low))


def _seen(storage: Array, shape: Ints, stride: Ints, offset: int) -> Array:
    item = storage.itemsize
    return storage.viewed(tuple(shape), offset * item, tuple(step * item for step in stride))


def _added(storage: Array, a: Array, stride: Ints, offset: int) -> Array:
    """Storage to which elements are added that lie in a layout, in their order where they share a place."""
    sizes, steps = tuple(reversed(a.shape)), tuple(reversed(stride))
    rows = arrays.empty((a.size,), np.dtype(np.int32), a.device)
    inner = tuple([numbers(*divisor(n)) for n in sizes[:-1]])
    over_elements(OFFSETS, a.size, rows, numbers(*steps) if steps else numbers(0), inner, UINT32(offset))
    return added_to_rows(storage, rows, arrays.in_order(a).ravel())


Turn = tuple[int, int, int, int]  # size, 1 or -1, the index of the source for index 0, step in elements


@pinned_reader(cpu.flip)
def flip(a: Array, dims: Ints) -> Array:
    flipped = {d % a.ndim for d in dims} if a.ndim else ()
    steps = steps_in(a, a.shape)
    return _flipped(a, [(n, -1, n - 1, s) if d in flipped else (n, 1, 0, s) for d, (n, s) in _dims(a, steps)])


@pinned_reader(cpu.roll)
def roll(a: Array, shifts: Ints, dims: Ints) -> Array:
    if not dims:
        flat = arrays.in_order(a).ravel()
        return roll(flat, shifts[:1], (0,)).reshape(a.shape)
    moved = [0] * a.ndim
    for shift, dim in zip(shifts, dims, strict=True):
        moved[dim] += shift
    return _flipped(a, [(n, 1, -moved[d] % n if n else 0, s) for d, (n, s) in _dims(a, steps_in(a, a.shape))])


def _dims(a: Array, steps: Ints) -> Sequence[tuple[int, tuple[int, int]]]:
    return list(enumerate(zip(a.shape, steps, strict=True)))


def _flipped(a: Array, flips: list[Turn]) -> Array:
    result = arrays.result(a, a.shape)
    if not a.size:
        return result
    inner_part = _merged(flips)
    inner = tuple([numbers(*divisor(n)) for n, *_ in inner_part[:-1]])
    kernel = flip_kernel(between(a.stored, a.dtype))
    over_elements(kernel, a.size, a, result, tuple([numbers(*turn) for turn in inner_part]), inner)
    return result


def _merged(flips: list[Turn]) -> list[Turn]:
    """The dimensions, the innermost first, in as few as say it; at least one."""
    inner_part: list[Turn] = []
    for n, sign, first, step in reversed(flips):
        if n == 1:
            continue
        if inner_part:
            inner = inner_part[-1]
            full = (sign, first) == inner[1:3] == (1, 0) or (sign == inner[1] == -1)
            if full and step == inner[3] * inner[0]:
                size = n * inner[0]
                inner_part[-1] = (size, sign, size - 1 if sign < 0 else 0, inner[3])
                continue
        inner_part.append((n, sign, first, step))
    return inner_part or [(1, 1, 0, 0)]


def _triangle(a: Array, diagonal: int, upper: bool) -> Array:
    value = arrays.in_order(a)
    result = arrays.result(a, a.shape)
    rows, columns = a.shape[-2:]
    limit = np.int32(min(max(diagonal, -rows), columns))
    kernel = triangles(between(value.stored, result.dtype), upper)
    over_elements(kernel, prod(a.shape), value.ravel(), result, *numbers(rows, columns), limit)
    return result


triu = pinned_reader(cpu.triu)(partial(_triangle, upper=True))
tril = pinned_reader(cpu.tril)(partial(_triangle, upper=False))
