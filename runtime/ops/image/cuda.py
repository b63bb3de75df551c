"""Resampling, padding by what lies at borders, and copies with dimensions taken apart, on a device: one launch each."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.plan import Ints
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import in_order, permuted
from ...kernels.cuda_launch.per_element import pinned_reader
from . import cpu_shuffle as cpu
from . import cuda_kernels as kernels
from .cpu_pad import source_index
from .cpu_resample import Rows, filter_rows, integer_rows, transposed_rows


def resample(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    return multiplied(a, dim, length, filter_rows(a.shape[dim], length, filter, align_corners, scale, antialias))


def resample_backward(
    grad: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    rows = transposed_rows(length, grad.shape[dim], filter, align_corners, scale, antialias)
    return multiplied(grad, dim, length, rows)


def multiplied(a: Array, dim: int, length: int, rows: Rows, new: Callable[..., Array] = arrays.result) -> Array:
    weights = arrays.constant(rows.weights.astype(a.dtype, copy=False), a.device)
    result = new(a, (*a.shape[:dim], length, *a.shape[dim + 1 :]))
    args = in_order(a), *offsets_of(rows, a.device), weights, result, *sizes_of(a, dim, length)
    per_element.run(kernels.weighted_sums, result.size, a.dtype, *args)
    return result


def offsets_of(rows: Rows, device: Any) -> tuple[Array, Array]:
    starts, columns = (arrays.constant(values.astype(np.int32), device) for values in rows[:2])
    return starts, columns


def sizes_of(a: Array, dim: int, length: int) -> tuple[int, int, int]:
    return a.shape[dim], length, prod(a.shape[dim + 1 :])


def resample_bytes(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    rows, bits = integer_rows(a.shape[dim], length, filter, align_corners, scale, antialias)
    weights = arrays.constant(rows.weights, a.device)
    result = arrays.empty((*a.shape[:dim], length, *a.shape[dim + 1 :]), np.dtype(np.uint8), a.device)
    args = in_order(a), *offsets_of(rows, a.device), weights, result, bits, *sizes_of(a, dim, length)
    per_element.run(kernels.weighted_bytes, result.size, np.dtype(np.int64), *args)
    return result


def border_pad(a: Array, pad: Ints, mode: str) -> Array:
    for dim, before, after in sides(a.ndim, pad):
        columns = source_index(a.shape[dim], before, after, mode)
        result = arrays.result(a, (*a.shape[:dim], columns.size, *a.shape[dim + 1 :]))
        positions = arrays.constant(columns.astype(np.int32), a.device)
        args = in_order(a), positions, result, *sizes_of(a, dim, columns.size)
        per_element.run(kernels.gathered, result.size, a.dtype, *args)
        a = result
    return a


def border_pad_backward(grad: Array, input_shape: Ints, pad: Ints, mode: str) -> Array:
    for dim, before, after in sides(grad.ndim, pad):
        size = input_shape[dim]
        columns = source_index(size, before, after, mode)
        order = np.argsort(columns, kind="stable")
        starts = np.searchsorted(columns[order], np.arange(size + 1))
        grad = multiplied(grad, dim, size, Rows(starts, order, np.ones(order.size)), arrays.scratch)
    return grad


def sides(ndim: int, pad: Ints) -> list[tuple[int, int, int]]:
    return [(ndim - 1 - k, pad[2 * k], pad[2 * k + 1]) for k in range(len(pad) // 2)]


@pinned_reader(cpu.channels_to_pixels)
def channels_to_pixels(a: Array, factor: int) -> Array:
    return _shuffled(a, cpu.to_pixels(a.shape, factor))


@pinned_reader(cpu.pixels_to_channels)
def pixels_to_channels(a: Array, factor: int) -> Array:
    return _shuffled(a, cpu.to_channels(a.shape, factor))


@pinned_reader(cpu.shuffled_channels)
def shuffled_channels(a: Array, groups: int) -> Array:
    return _shuffled(a, cpu.to_shuffled_groups(a.shape, groups))


def _shuffled(a: Array, how: cpu.Shuffle) -> Array:
    parts = permuted(arrays.in_order(a).reshape(sum(how.parts, ())), *how.order)
    return arrays.result_of(parts).reshape(how.shape)
