"""Pooling over the last `spatial` dimensions on a device: a thread for each window or element."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.bad_indices import raise_at_once, ticket, word_for
from ...cuda.launching import indexed
from ...cuda.views import in_order
from ...kernels.window_sizes import pool_size
from ..indexing.cuda_gather import scatter
from . import cuda_kernels as kernels

Array = DeviceArray
Ints = tuple[int, ...]
Geometry = tuple[Ints, ...]  # of each dim: the size, the kernel's, stride, pad, dilation and the number of windows


def max_pool(
    input: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool, spatial: int
) -> tuple[Array, Array]:
    """The largest value of each window, and its index into the flattened plane; NaN counts as largest."""
    return max_pool_values(input, sliding(input.shape, kernel, stride, padding, dilation, ceil_mode), spatial, False)


def adaptive_max_pool(input: Array, output_size: Ints, spatial: int) -> tuple[Array, Array]:
    return max_pool_values(input, covering(input.shape, output_size), spatial, True)


def max_pool_values(input: Array, geometry: Geometry, spatial: int, adaptive: bool) -> tuple[Array, Array]:
    shape = (*input.shape[: input.ndim - spatial], *geometry[-1][3 - spatial :])
    values = memory.result(input, shape)
    indices = memory.empty(shape, np.dtype(np.int64), input.device)
    x = in_order(input)
    indexed.run(kernels.maxima, values.size, input.dtype, x, values, indices, geometry, adaptive)
    return values, indices


def max_pool_backward(grad_output: Array, indices: Array, input_shape: Ints, spatial: int) -> Array:
    """Adds each gradient to the element of the plane that its maximum came from."""
    result = memory.empty(tuple(input_shape), grad_output.dtype, grad_output.device)
    memory.fill(result, 0)
    windows, size = prod(grad_output.shape[-spatial:]), prod(input_shape[-spatial:])
    grad, positions = in_order(grad_output), in_order(indices)
    if grad.size:
        note = word_for(result.device), ticket("max_pool_backward", len(input_shape) - spatial)
        indexed.run(kernels.added_at, grad.size, result.dtype, grad, positions, result, *note, windows, size)
        raise_at_once(result.device)
    return result


def max_unpool(input: Array, indices: Array, kernel: Ints, stride: Ints, padding: Ints, output_size: Ints) -> Array:
    """Zeros, and each maximum at its index into the flattened plane; the last of several that have one index."""
    lead, area = input.shape[: -len(kernel)], prod(input.shape[-len(kernel) :])
    zeros = memory.result_of_zeros(input, (*lead, prod(output_size)))
    rows = (*lead, area)
    result = scatter(zeros, len(lead), in_order(indices).reshape(rows), in_order(input).reshape(rows))
    return result.reshape((*lead, *output_size))


def avg_pool(input: Array, *window: Any) -> Array:
    geometry, padded, divisor, spatial = means_of(input.shape, *window)
    return mean(input, geometry, spatial, False, padded, divisor)


def avg_pool_backward(grad_output: Array, input_shape: Ints, *window: Any) -> Array:
    geometry, padded, divisor, _ = means_of(input_shape, *window)
    return scatter_grad(grad_output, input_shape, geometry, False, padded, divisor)


def adaptive_avg_pool(input: Array, output_size: Ints, spatial: int) -> Array:
    return mean(input, covering(input.shape, output_size), spatial, True, False, 0)


def adaptive_avg_pool_backward(grad_output: Array, input_shape: Ints, spatial: int) -> Array:
    geometry = covering(input_shape, grad_output.shape[-spatial:])
    return scatter_grad(grad_output, input_shape, geometry, True, False, 0)


def means_of(
    shape: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    spatial: int,
) -> tuple[Geometry, bool, int, int]:
    """The windows, whether they count what is padding, and the divisor that takes the place of their elements."""
    geometry = sliding(shape, kernel, stride, padding, (1,) * spatial, ceil_mode)
    return geometry, count_include_pad, divisor_override or 0, spatial


def mean(input: Array, geometry: Geometry, spatial: int, adaptive: bool, padded: bool, divisor: int) -> Array:
    shape = (*input.shape[: input.ndim - spatial], *geometry[-1][3 - spatial :])
    result = memory.result(input, shape)
    indexed.run(kernels.means, result.size, input.dtype, in_order(input), result, geometry, adaptive, padded, divisor)
    return result


def scatter_grad(
    grad_output: Array, input_shape: Ints, geometry: Geometry, adaptive: bool, padded: bool, divisor: int
) -> Array:
    result = memory.result(grad_output, tuple(input_shape))
    args = in_order(grad_output), result, geometry, adaptive, padded, divisor
    indexed.run(kernels.means_back, result.size, result.dtype, *args)
    return result


def sliding(shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool) -> Geometry:
    """Windows at regular steps over the last dimensions of an array of this shape."""
    sizes = shape[-len(kernel) :]
    along = zip(sizes, kernel, stride, padding, dilation, strict=True)
    counts = tuple(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)
    return tuple(
        (fill,) * (3 - len(kernel)) + tuple(values)
        for fill, values in zip((1, 1, 1, 0, 1, 1), (sizes, kernel, stride, padding, dilation, counts), strict=True)
    )


def covering(shape: Ints, counts: Ints) -> Geometry:
    """So many windows along each of the last dimensions, which cover them as evenly as may be."""
    full = [(1,) * (3 - len(counts)) + tuple(values) for values in (shape[-len(counts) :], counts)]
    ones = (1, 1, 1)
    return full[0], ones, ones, (0, 0, 0), ones, full[1]
