"""Pooling over the last one to three dimensions."""

from __future__ import annotations

from math import prod

import numpy as np

from .conv_loops import add_shifted
from .conv_plan import Plan
from .conv_sizes import Geometry
from .pool_loops import greatest, scatter, spread, sums
from .pool_pictures import greatest_plan, slide
from .pool_windows import Ints, Windows, adaptive_windows, planes, sliding_plan, spreading_plan, windows_of

Array = np.ndarray


def max_pool(
    input: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool, spatial: int
) -> tuple[Array, Array]:
    """The largest value of each window, and its index into the flattened plane; NaN counts as largest."""
    windows = windows_of(input.shape, kernel_size, stride, padding, dilation, ceil_mode)
    return _greatest(np.ascontiguousarray(input), windows, spatial)


def adaptive_max_pool(input: Array, output_size: Ints, spatial: int) -> tuple[Array, Array]:
    """The same with output_size windows that cover the plane as evenly as may be."""
    windows = adaptive_windows(input.shape, output_size)
    return _greatest(np.ascontiguousarray(input), windows, spatial)


def _greatest(x: Array, windows: Windows, dims: int) -> tuple[Array, Array]:
    values, indices = np.empty(windows.shape, x.dtype), np.empty(windows.shape, np.int64)
    if windows.slides and x.dtype.kind == "f" and values.size:
        plan, behind, apart = greatest_plan(windows.geometry)
        lines = [a.reshape(prod(a.shape[:-dims]), -1) for a in (x, values, indices)]
        if slide(*lines, plan.layout, plan.parts, plan.tasks[0], plan.taps, behind, apart):
            return values, indices
    greatest(planes(x, dims), windows.ranges, windows.steps, planes(values, dims), planes(indices, dims))
    return values, indices


def max_pool_backward(grad_output: Array, indices: Array, input_shape: Ints, spatial: int) -> Array:
    """Adds each value to its place in the plane.

    Raises:
        IndexError: an index that lies outside the plane.
    """
    result = np.zeros(input_shape, grad_output.dtype)
    if grad_output.size:
        slopes, places = (np.ascontiguousarray(a) for a in (grad_output, indices))
        lines = [a.reshape(prod(a.shape[:-spatial]), -1) for a in (slopes, places, result)]
        if not scatter(*lines):
            raise IndexError(f"max_pool_backward(): expected indices in [0, {lines[2].shape[1] - 1}]")
    return result


def avg_pool(
    input: Array,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    spatial: int,
) -> Array:
    """The sum of each window over its divisor."""
    ones = (1,) * len(stride)
    windows = windows_of(input.shape, kernel_size, stride, padding, ones, ceil_mode)
    return _means(
        np.ascontiguousarray(input), windows, len(stride), _divisors(windows, count_include_pad, divisor_override)
    )


def avg_pool_backward(
    grad_output: Array,
    input_shape: Ints,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    spatial: int,
) -> Array:
    """Spreads each value evenly over its window."""
    windows = windows_of(input_shape, kernel_size, stride, padding, (1,) * spatial, ceil_mode)
    divisors = _divisors(windows, count_include_pad, divisor_override)
    return _spread_means(grad_output, input_shape, windows, spatial, divisors)


def adaptive_avg_pool(input: Array, output_size: Ints, spatial: int) -> Array:
    """The means of output_size windows that cover the plane as evenly as may be."""
    windows = adaptive_windows(input.shape, output_size)
    return _means(np.ascontiguousarray(input), windows, spatial, windows.elements)


def adaptive_avg_pool_backward(grad_output: Array, input_shape: Ints, spatial: int) -> Array:
    """Spreads each value evenly over its adaptive window."""
    windows = adaptive_windows(input_shape, grad_output.shape[-spatial:])
    return _spread_means(grad_output, input_shape, windows, spatial, windows.elements)


def _divisors(windows: Windows, count_include_pad: bool, divisor_override: int | None) -> Array:
    """By what the sum of each window is divided; one number where all have the same."""
    if divisor_override:
        return np.array(divisor_override)
    return windows.elements if count_include_pad else windows.inside


def _means(x: Array, windows: Windows, dims: int, divisors: Array) -> Array:
    result = np.empty(windows.shape, x.dtype)
    if windows.slides:
        _convolve(x, result, windows.geometry, sliding_plan(windows.geometry))
    else:
        sums(planes(x, dims), windows.ranges, planes(result, dims))
    return np.divide(result, divisors.astype(x.dtype), out=result)


def _spread_means(grad: Array, shape: Ints, windows: Windows, dims: int, divisors: Array) -> Array:
    shares = grad / divisors.astype(grad.dtype)
    result = np.zeros(shape, grad.dtype)
    if windows.slides:
        _convolve(shares, result, windows.geometry, spreading_plan(windows.geometry))
    else:
        spread(planes(shares, dims), windows.ranges, planes(result, dims))
    return result


def _convolve(x: Array, out: Array, geometry: Geometry, plan: Plan) -> None:
    """Convolution of every plane with ones."""
    ones, zero = np.ones(geometry.taps, x.dtype), np.zeros(1, x.dtype)
    add_shifted(x.ravel(), ones, zero, out.ravel(), *plan)
