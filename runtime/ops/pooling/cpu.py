"""Pooling over the last `spatial` dimensions, one to three, which are called the plane."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...pool.parallel_for import shared
from ..conv.cpu_shifted import add_shifted, backward_plan, forward_plan
from .cpu_loops import add_at_indices, add_to_windows, maxima_plan, sliding_maxima, window_maxima, window_sums
from .cpu_windows import Ints, Windows, adaptive_windows, planes, windows_of

Array = np.ndarray
Arrays = tuple[Array, ...]  # what loops that do many windows at once take; empty where they do one by one


def max_pool(input: Array, *window: Any) -> tuple[Array, Array]:
    """The largest value of each window, and its index into the flattened plane; NaN counts as largest.

    `window` is kernel_size, stride, padding, dilation, ceil_mode, spatial.
    """
    return _greatest(np.ascontiguousarray(input), *_greatest_of(input.shape, *window), window[-1])


def adaptive_max_pool(input: Array, output_size: Ints, spatial: int) -> tuple[Array, Array]:
    """The maxima of output_size windows that cover the plane as evenly as may be, and their indices."""
    windows = adaptive_windows(input.shape, output_size)
    return _greatest(np.ascontiguousarray(input), windows, (), spatial)


@functools.lru_cache(maxsize=1024)
def _greatest_of(
    shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool, spatial: int
) -> tuple[Windows, Arrays]:
    windows = windows_of(shape, kernel, stride, padding, dilation, ceil_mode)
    return windows, () if windows.sliding is None else maxima_plan(windows.sliding)


def _greatest(x: Array, windows: Windows, sliding: Arrays, spatial: int) -> tuple[Array, Array]:
    values, indices = np.empty(windows.shape, x.dtype), np.empty(windows.shape, np.int64)
    if sliding and x.dtype.kind == "f" and values.size:
        count = prod(windows.shape[:-spatial])
        lines = x.reshape(count, -1), values.reshape(count, -1), indices.reshape(count, -1)
        done = np.empty(count, bool)
        shared(sliding_maxima, (*lines, *sliding, done), count, x.size)
        if done.all():
            return values, indices
    boxes = [planes(array, spatial) for array in (x, values, indices)]
    window_maxima(boxes[0], windows.ranges, windows.steps, *boxes[1:])
    return values, indices


def max_pool_backward(grad_output: Array, indices: Array, input_shape: Ints, spatial: int) -> Array:
    """Adds each gradient to the element of the plane that its maximum came from.

    Raises:
        IndexError: an index that lies outside the plane.
    """
    result = np.zeros(input_shape, grad_output.dtype)
    if grad_output.size:
        grads, positions = (np.ascontiguousarray(a) for a in (grad_output, indices))
        lines = [a.reshape(prod(a.shape[:-spatial]), -1) for a in (grads, positions, result)]
        if not add_at_indices(*lines):
            raise IndexError(f"max_pool_backward(): expected indices in [0, {lines[2].shape[1] - 1}]")
    return result


def avg_pool(input: Array, *window: Any) -> Array:
    """The sum of each window over its divisor.

    `window` is kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, spatial.
    """
    windows, divisors, gathering, _ = _means_of(input.shape, input.dtype, *window)
    return _means(np.ascontiguousarray(input), windows, divisors, gathering, window[-1])


def avg_pool_backward(grad_output: Array, input_shape: Ints, *window: Any) -> Array:
    """Spreads each value evenly over its window, given as to `avg_pool`."""
    windows, divisors, _, spreading = _means_of(input_shape, grad_output.dtype, *window)
    return _spread_means(grad_output, input_shape, windows, divisors, spreading, window[-1])


def adaptive_avg_pool(input: Array, output_size: Ints, spatial: int) -> Array:
    """The means of output_size windows that cover the plane as evenly as may be."""
    windows = adaptive_windows(input.shape, output_size)
    return _means(np.ascontiguousarray(input), windows, windows.elements.astype(input.dtype), (), spatial)


def adaptive_avg_pool_backward(grad_output: Array, input_shape: Ints, spatial: int) -> Array:
    """Spreads each value evenly over its adaptive window."""
    windows = adaptive_windows(input_shape, grad_output.shape[-spatial:])
    divisors = windows.elements.astype(grad_output.dtype)
    return _spread_means(grad_output, input_shape, windows, divisors, (), spatial)


@functools.lru_cache(maxsize=1024)
def _means_of(
    shape: Ints,
    dtype: np.dtype,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    spatial: int,
) -> tuple[Windows, Array, Arrays, Arrays]:
    """The windows, by what the sum of each is divided, and how sums are taken and spread: convolution with ones."""
    windows = windows_of(shape, kernel, stride, padding, (1,) * spatial, ceil_mode)
    elements = windows.elements if count_include_pad else windows.inside
    divisors = np.array(divisor_override) if divisor_override else elements
    if windows.sliding is None:
        return windows, divisors.astype(dtype), (), ()
    ones = np.ones(windows.sliding.taps, dtype)
    plans = forward_plan(windows.sliding), backward_plan(windows.sliding)
    return windows, divisors.astype(dtype), (ones, *plans[0]), (ones, *plans[1])


def _means(x: Array, windows: Windows, divisors: Array, gathering: Arrays, spatial: int) -> Array:
    result = np.empty(windows.shape, x.dtype)
    if gathering:
        _convolve(x, result, *gathering)
    else:
        _by_windows(window_sums, x, result, windows, spatial, x)
    return np.divide(result, divisors, out=result)


def _spread_means(
    grad: Array, shape: Ints, windows: Windows, divisors: Array, spreading: Arrays, spatial: int
) -> Array:
    shares = grad / divisors
    result = np.zeros(shape, grad.dtype)
    if spreading:
        _convolve(shares, result, *spreading)
    else:
        _by_windows(add_to_windows, shares, result, windows, spatial, result)
    return result


def _by_windows(loop: Callable[..., None], a: Array, out: Array, windows: Windows, spatial: int, x: Array) -> None:
    """Run a loop over all planes of x, by several threads where they are large."""
    count, *sizes = planes(x, spatial).shape
    shared(loop, (a.ravel(), *windows.ranges, out.ravel(), np.array(sizes, np.int64)), count, x.size)


def _convolve(x: Array, out: Array, weight: Array, *plan: Array) -> None:
    planes = out.size // int(plan[-1][2])  # a sample of one channel each
    shared(add_shifted, (x.ravel(), weight, weight, out.ravel(), *plan, 0), planes, x.size)
