"""Pooling over the planes (the last two dimensions) of an array."""

from __future__ import annotations

from math import prod

import numpy as np

from ..jit import jit
from ..windows import pool_size

Pair = tuple[int, int]


def max_pool2d(
    input: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The largest value of each window, and its index into the flattened plane; NaN counts as largest."""
    planes = _planes(input)
    sizes = _sizes(planes, kernel_size, stride, padding, dilation, ceil_mode)
    values = np.empty((len(planes), *sizes), input.dtype)
    indices = np.empty(values.shape, np.int64)
    if values.size:
        _max_pool(planes, kernel_size, stride, padding, dilation, values, indices)
    shape = (*input.shape[:-2], *sizes)
    return values.reshape(shape), indices.reshape(shape)


def max_pool2d_backward(grad_output: np.ndarray, indices: np.ndarray, input_shape: tuple[int, ...]) -> np.ndarray:
    """Adds each value to its place in the plane.

    Raises:
        IndexError: an index that lies outside the plane.
    """
    result = np.zeros(input_shape, grad_output.dtype)
    area = input_shape[-2] * input_shape[-1]
    if grad_output.size and not _scatter(
        _lines(grad_output), _lines(indices), result.reshape(result.size // max(area, 1), area)
    ):
        raise IndexError(f"max_pool2d_backward(): expected indices in [0, {area - 1}]")
    return result


def avg_pool2d(
    input: np.ndarray,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> np.ndarray:
    """The sum of each window over its divisor."""
    planes = _planes(input)
    sizes = _sizes(planes, kernel_size, stride, padding, (1, 1), ceil_mode)
    result = np.empty((len(planes), *sizes), input.dtype)
    divisor = divisor_override or 0
    _avg_pool(planes, kernel_size, stride, padding, count_include_pad, divisor, result)
    return result.reshape(*input.shape[:-2], *sizes)


def avg_pool2d_backward(
    grad_output: np.ndarray,
    input_shape: tuple[int, ...],
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> np.ndarray:
    """Spreads each value evenly over its window."""
    result = np.zeros(input_shape, grad_output.dtype)
    divisor = divisor_override or 0
    _avg_unpool(_planes(grad_output), kernel_size, stride, padding, count_include_pad, divisor, _planes(result))
    return result


def adaptive_avg_pool2d(input: np.ndarray, output_size: Pair) -> np.ndarray:
    """The means of output_size windows that cover the plane as evenly as may be."""
    across = _adaptive_means(input.shape[-1], output_size[1], input.dtype)
    down = _adaptive_means(input.shape[-2], output_size[0], input.dtype)
    return np.matmul(down, np.matmul(input, across.T))


def adaptive_avg_pool2d_backward(grad_output: np.ndarray, input_shape: tuple[int, ...]) -> np.ndarray:
    """Spreads each value evenly over its adaptive window."""
    across = _adaptive_means(input_shape[-1], grad_output.shape[-1], grad_output.dtype)
    down = _adaptive_means(input_shape[-2], grad_output.shape[-2], grad_output.dtype)
    return np.matmul(down.T, np.matmul(grad_output, across))


def _adaptive_means(size: int, windows: int, dtype: np.dtype) -> np.ndarray:
    """The matrix (windows, size) that takes the means along one dimension."""
    matrix = np.zeros((windows, size), dtype)
    for i in range(windows):
        first, last = i * size // windows, -(-(i + 1) * size // windows)
        matrix[i, first:last] = 1 / (last - first)
    return matrix


def _planes(array: np.ndarray) -> np.ndarray:
    height, width = array.shape[-2:]
    return np.ascontiguousarray(array).reshape(prod(array.shape[:-2]), height, width)


def _lines(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1, array.shape[-2] * array.shape[-1])


def _sizes(planes: np.ndarray, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool) -> Pair:
    height, width = (
        pool_size(n, k, s, p, d, ceil_mode)
        for n, k, s, p, d in zip(planes.shape[1:], kernel, stride, padding, dilation, strict=True)
    )
    return height, width


@jit
def _max_pool(
    x: np.ndarray,
    kernel: Pair,
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    values: np.ndarray,
    indices: np.ndarray,
) -> None:
    planes, height, width = x.shape
    for plane in range(planes):
        for i in range(values.shape[1]):
            top = i * stride[0] - padding[0]
            bottom = min(top + (kernel[0] - 1) * dilation[0] + 1, height)
            while top < 0:
                top += dilation[0]
            for j in range(values.shape[2]):
                left = j * stride[1] - padding[1]
                right = min(left + (kernel[1] - 1) * dilation[1] + 1, width)
                while left < 0:
                    left += dilation[1]
                best, place = x[plane, top, left], top * width + left
                for row in range(top, bottom, dilation[0]):
                    for column in range(left, right, dilation[1]):
                        value = x[plane, row, column]
                        if value > best or value != value:
                            best, place = value, row * width + column
                values[plane, i, j] = best
                indices[plane, i, j] = place


@jit
def _scatter(grad: np.ndarray, indices: np.ndarray, result: np.ndarray) -> bool:
    """Adds the values at their indices; False as soon as an index lies outside."""
    for plane in range(grad.shape[0]):
        for i in range(grad.shape[1]):
            place = indices[plane, i]
            if place < 0 or place >= result.shape[1]:
                return False
            result[plane, place] += grad[plane, i]
    return True


@jit
def _avg_pool(
    x: np.ndarray,
    kernel: Pair,
    stride: Pair,
    padding: Pair,
    count_pads: bool,
    divisor: int,
    result: np.ndarray,
) -> None:
    planes, height, width = x.shape
    for plane in range(planes):
        for i in range(result.shape[1]):
            top = i * stride[0] - padding[0]
            bottom = min(top + kernel[0], height + padding[0])
            first_row, last_row = max(top, 0), min(bottom, height)
            for j in range(result.shape[2]):
                left = j * stride[1] - padding[1]
                right = min(left + kernel[1], width + padding[1])
                first, last = max(left, 0), min(right, width)
                total = x.dtype.type(0)
                for row in range(first_row, last_row):
                    for column in range(first, last):
                        total += x[plane, row, column]
                count = (bottom - top) * (right - left)
                if not count_pads:
                    count = (last_row - first_row) * (last - first)
                result[plane, i, j] = total / x.dtype.type(divisor if divisor else count)


@jit
def _avg_unpool(
    grad: np.ndarray,
    kernel: Pair,
    stride: Pair,
    padding: Pair,
    count_pads: bool,
    divisor: int,
    result: np.ndarray,
) -> None:
    planes, height, width = result.shape
    for plane in range(planes):
        for i in range(grad.shape[1]):
            top = i * stride[0] - padding[0]
            bottom = min(top + kernel[0], height + padding[0])
            first_row, last_row = max(top, 0), min(bottom, height)
            for j in range(grad.shape[2]):
                left = j * stride[1] - padding[1]
                right = min(left + kernel[1], width + padding[1])
                first, last = max(left, 0), min(right, width)
                count = (bottom - top) * (right - left)
                if not count_pads:
                    count = (last_row - first_row) * (last - first)
                share = grad[plane, i, j] / grad.dtype.type(divisor if divisor else count)
                for row in range(first_row, last_row):
                    for column in range(first, last):
                        result[plane, row, column] += share
