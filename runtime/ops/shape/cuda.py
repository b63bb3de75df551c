"""Copies on a CUDA device that rearrange; most of them copy between views, one launch for each part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.memory import result_of
from ...tensor import views
from ...tensor.shapes import contiguous_strides
from .cuda_repeats import repeated_indices
from .cuda_turns import flip, roll, tril, triu
from .cuda_windows import col2im, im2col, restride, unfold_backward

__all__ = ["cat", "clone", "col2im", "constant_pad_nd", "split_grad", "diagonal_backward", "flip", "im2col"]
__all__ += [
    "repeated_indices",
    "restride",
    "roll",
    "select_backward",
    "slice_backward",
    "stack",
    "to_copy",
    "tril",
    "triu",
]
__all__ += ["unfold_backward", "unstacked"]

Ints = tuple[int, ...]


def clone(a: DeviceArray) -> DeviceArray:
    return result_of(a)


to_copy = clone


def part(a: DeviceArray, starts: Sequence[int], sizes: Ints, steps: Sequence[int] = ()) -> DeviceArray:
    """Every `steps`-th element of an array from `starts` on, so many along each dimension; no copy."""
    by = a.byte_strides
    offset = sum(first * step for first, step in zip(starts, by, strict=True))
    step_sizes = by if not steps else tuple(n * step for n, step in zip(steps, by, strict=True))
    return a.viewed(tuple(sizes), offset, step_sizes)


def part_along(a: DeviceArray, dim: int, start: int, size: int, step: int = 1) -> DeviceArray:
    """Some of the slices of an array along a dimension; no copy."""
    starts, sizes, steps = [0] * a.ndim, list(a.shape), [1] * a.ndim
    starts[dim], sizes[dim], steps[dim] = start, size, step
    return part(a, starts, tuple(sizes), steps)


def one_of(a: DeviceArray, dim: int, index: int) -> DeviceArray:
    """The slice at an index along a dimension, which it does not have; no copy."""
    by = a.byte_strides
    return a.viewed((*a.shape[:dim], *a.shape[dim + 1 :]), index * by[dim], (*by[:dim], *by[dim + 1 :]))


def select_backward(grad: DeviceArray, sizes: Ints, dim: int, index: int) -> DeviceArray:
    result = memory.result_of_zeros(grad, sizes)
    dim, index = dim % len(sizes), index % sizes[dim]
    memory.copy(one_of(result, dim, index), grad)
    return result


def slice_backward(grad: DeviceArray, sizes: Ints, dim: int, start: int, end: int, step: int) -> DeviceArray:
    result = memory.result_of_zeros(grad, sizes)
    chosen = range(sizes[dim])[start:end:step]
    if len(chosen):
        memory.copy(part_along(result, dim % len(sizes), chosen[0], len(chosen), step), grad)
    return result


def diagonal_backward(grad: DeviceArray, sizes: Ints, offset: int, dim1: int, dim2: int) -> DeviceArray:
    result = memory.result_of_zeros(grad, sizes)
    shape, steps, first = views.diagonal(sizes, contiguous_strides(sizes), 0, offset, dim1, dim2)
    item = result.itemsize
    memory.copy(result.viewed(shape, first * item, tuple(item * step for step in steps)), grad)
    return result


def cat(arrays: Sequence[DeviceArray], dim: int) -> DeviceArray:
    counted = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    first = counted[0]
    starts = list(accumulate([a.shape[dim] for a in counted], initial=0))
    shape = (*first.shape[:dim], starts[-1], *first.shape[dim:][1:])
    result = memory.result(first, shape)
    for a, start in zip(counted, starts, strict=False):
        memory.copy(part_along(result, dim, start, a.shape[dim]), a)
    return result


def stack(arrays: Sequence[DeviceArray], dim: int) -> DeviceArray:
    first = arrays[0]
    shape = (*first.shape[:dim], len(arrays), *first.shape[dim:])
    result = memory.result(first, shape)
    for i, a in enumerate(arrays):
        memory.copy(one_of(result, dim, i), a)
    return result


def split_grad(
    output_mask: Sequence[bool], grad: DeviceArray, shapes: Sequence[Ints], dim: int
) -> list[DeviceArray | None]:
    starts = list(accumulate([0 if shape == (0,) else shape[dim] for shape in shapes], initial=0))
    return [
        _piece(grad, tuple(shape), dim, start) if yes else None
        for yes, shape, start in zip(output_mask, shapes, starts, strict=False)
    ]


def _piece(grad: DeviceArray, shape: Ints, dim: int, start: int) -> DeviceArray:
    if shape == (0,):
        return memory.result(grad, shape)
    return result_of(part_along(grad, dim, start, shape[dim]))


def unstacked(output_mask: Sequence[bool], grad: DeviceArray, dim: int) -> list[DeviceArray | None]:
    return [result_of(one_of(grad, dim % grad.ndim, i)) if yes else None for i, yes in enumerate(output_mask)]


def constant_pad_nd(a: DeviceArray, pad: Ints, value: Any) -> DeviceArray:
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
