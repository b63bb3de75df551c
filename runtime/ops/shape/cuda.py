"""Copies on a CUDA device that rearrange; most of them copy between views, one launch for each part."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.plan import Ints
from ...kernels.cuda.index_maps import OFFSETS
from ...kernels.cuda.search import bisecting
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch.arrays import copied, copied_to, result_of, to_host
from ...kernels.cuda_launch.cpu_fallback import copying
from ...kernels.cuda_launch.per_element import UINT32, numbers, over_elements, pinned_reader
from ...kernels.cuda_launch.sort_and_scan import scan
from ...shapes import contiguous_strides
from ...tensor import view_shapes
from ...tensor.meta import MetaArray
from ..reduction.cuda import min_all
from . import cpu
from .cuda_flip_windows import col2im as col2im
from .cuda_flip_windows import flip as flip
from .cuda_flip_windows import im2col as im2col
from .cuda_flip_windows import restride as restride
from .cuda_flip_windows import roll as roll
from .cuda_flip_windows import tril as tril
from .cuda_flip_windows import triu as triu
from .cuda_flip_windows import unfold_backward as unfold_backward

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


@pinned_reader(cpu.repeated_indices)
def repeated_indices(repeats: Array, output_size: int | None) -> Array:
    """The index i, repeats[i] times, for each i: how many repetitions end before each place."""
    if not repeats.size:
        return _checked(0, output_size, repeats)
    min_value = int(memory.to_host(min_all(repeats)))
    if min_value < 0:
        raise RuntimeError(f"repeat_interleave(): repeats can not be negative, got {min_value}")
    ends = memory.empty(repeats.shape, INT64, repeats.device)
    scan("sum", INT64, [memory.contiguous(repeats)], [ends], (1, repeats.size, 1))
    result = _checked(int(memory.to_host(ends[repeats.size - 1 :])[0]), output_size, repeats)
    indices = memory.empty(result.shape, INT32, repeats.device)
    over_elements(OFFSETS, indices.size, indices, numbers(1), (), UINT32(0))
    kernel = bisecting(INT64, False)
    over_elements(kernel, result.size, ends, indices, (), result, *numbers(repeats.size, result.size, 1, 0))
    return result


def _checked(total: int, output_size: int | None, repeats: Array) -> Array:
    if output_size not in (None, total):
        raise RuntimeError(f"repeat_interleave(): allocated size {output_size} does not match required size {total}")
    return memory.empty((total,), INT64, repeats.device)


def clone(a: Array) -> Array:
    return result_of(a)


to_copy = clone


def part(a: Array, starts: Sequence[int], sizes: Ints, steps: Sequence[int] = ()) -> Array:
    """Every `steps`-th element of an array from `starts` on, so many along each dimension; no copy."""
    by = a.byte_strides
    offset = sum(first * step for first, step in zip(starts, by, strict=True))
    step_sizes = by if not steps else tuple(n * step for n, step in zip(steps, by, strict=True))
    return a.viewed(tuple(sizes), offset, step_sizes)


def part_along(a: Array, dim: int, start: int, size: int, step: int = 1) -> Array:
    starts, sizes, steps = [0] * a.ndim, list(a.shape), [1] * a.ndim
    starts[dim], sizes[dim], steps[dim] = start, size, step
    return part(a, starts, tuple(sizes), steps)


def one_of(a: Array, dim: int, index: int) -> Array:
    by = a.byte_strides
    return a.viewed((*a.shape[:dim], *a.shape[dim + 1 :]), index * by[dim], (*by[:dim], *by[dim + 1 :]))


def select_backward(grad: Array, sizes: Ints, dim: int, index: int) -> Array:
    result = memory.result_of_zeros(grad, sizes)
    dim, index = dim % len(sizes), index % sizes[dim]
    memory.copy(one_of(result, dim, index), grad)
    return result


def slice_backward(grad: Array, sizes: Ints, dim: int, start: int, end: int, step: int) -> Array:
    result = memory.result_of_zeros(grad, sizes)
    chosen = range(sizes[dim])[start:end:step]
    if len(chosen):
        memory.copy(part_along(result, dim % len(sizes), chosen[0], len(chosen), step), grad)
    return result


def diagonal_backward(grad: Array, sizes: Ints, offset: int, dim1: int, dim2: int) -> Array:
    result = memory.result_of_zeros(grad, sizes)
    shape, steps, first = view_shapes.diagonal(sizes, contiguous_strides(sizes), 0, offset, dim1, dim2)
    item = result.itemsize
    memory.copy(result.viewed(shape, first * item, tuple(item * step for step in steps)), grad)
    return result


def cat(arrays: Sequence[Array], dim: int) -> Array:
    counted = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    first = counted[0]
    starts = list(accumulate([a.shape[dim] for a in counted], initial=0))
    shape = (*first.shape[:dim], starts[-1], *first.shape[dim:][1:])
    result = memory.result(first, shape)
    for a, start in zip(counted, starts, strict=False):
        memory.copy(part_along(result, dim, start, a.shape[dim]), a)
    return result


def stack(arrays: Sequence[Array], dim: int) -> Array:
    first = arrays[0]
    shape = (*first.shape[:dim], len(arrays), *first.shape[dim:])
    result = memory.result(first, shape)
    for i, a in enumerate(arrays):
        memory.copy(one_of(result, dim, i), a)
    return result


def split_grad(output_mask: Sequence[bool], grad: Array, shapes: Sequence[Ints], dim: int) -> list[Array | None]:
    starts = list(accumulate([0 if shape == (0,) else shape[dim] for shape in shapes], initial=0))
    return [
        _piece(grad, tuple(shape), dim, start) if yes else None
        for yes, shape, start in zip(output_mask, shapes, starts, strict=False)
    ]


def _piece(grad: Array, shape: Ints, dim: int, start: int) -> Array:
    if shape == (0,):
        return memory.result(grad, shape)
    return result_of(part_along(grad, dim, start, shape[dim]))


def unstacked(output_mask: Sequence[bool], grad: Array, dim: int) -> list[Array | None]:
    return [result_of(one_of(grad, dim % grad.ndim, i)) if yes else None for i, yes in enumerate(output_mask)]


def constant_pad_nd(a: Array, pad: Ints, value: Any) -> Array:
    pairs = [(0, 0)] * (a.ndim - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    sizes = tuple(n + left + right for n, (left, right) in zip(a.shape, pairs, strict=True))
    result = memory.result(a, sizes)
    if any(each > 0 for pair in pairs for each in pair):
        memory.fill(result, value)
    firsts = [max(left, 0) for left, _ in pairs]
    inner_part = tuple(n + min(left, 0) + min(right, 0) for n, (left, right) in zip(a.shape, pairs, strict=True))
    if all(n > 0 for n in inner_part):
        memory.copy(part(result, firsts, inner_part), part(a, [max(-left, 0) for left, _ in pairs], inner_part))
    return result


@copying
def to_device(array: Array, device: Any, non_blocking: bool) -> Any:
    if device.type == "cpu":
        return to_host(array)
    if device.type == "meta":
        return MetaArray(array.shape, array.dtype)
    return copied(array) if device is array.device else copied_to(array, device)
