"""Pooling over the last `spatial` dimensions, the plane; means of integers are exact sums, divided towards zero."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Ints, run
from . import plans


def full_avg_pool(
    input: Array, kernel_size: Ints, stride: Ints | None, padding: Ints, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None, spatial: int,
) -> Array:  # fmt: skip
    total, count = input, np.ones((1,) * spatial, np.int64)
    sizes = kernel_size, stride or kernel_size, padding
    kernel, steps, pads = (tuple(v) * spatial if len(v) == 1 else v for v in sizes)
    for d in range(spatial):
        axis = input.ndim - spatial + d
        first, last, counted = _windows(input.shape[axis], kernel[d], steps[d], pads[d], ceil_mode, count_include_pad)
        sums = np.cumsum(np.insert(total, 0, 0, axis), axis, dtype=input.dtype)
        total = sums.take(last, axis) - sums.take(first, axis)
        count = count * counted.reshape([-1 if e == d else 1 for e in range(spatial)])
    divisor = count if divisor_override is None else np.int64(divisor_override)
    return (np.sign(total) * np.sign(divisor) * (np.abs(total) // np.abs(divisor))).astype(input.dtype)


def _windows(
    size: int, kernel: int, step: int, pad: int, ceil_mode: bool, all_count: bool
) -> tuple[Array, Array, Array]:
    count = (size + 2 * pad - kernel + (step - 1) * ceil_mode) // step + 1
    if ceil_mode and (count - 1) * step >= size + pad:
        count -= 1  # the last window would lie in the padding alone
    begin = np.arange(count) * step - pad
    end = np.minimum(begin + kernel, size + pad)
    first, last = np.clip(begin, 0, size), np.clip(end, 0, size)
    return first, last, end - begin if all_count else last - first


def max_pool(input: Array, *window: Any) -> tuple[Array, Array]:
    """NaN counts as largest. `window` is kernel_size, stride, padding, dilation, ceil_mode, spatial."""
    return tuple(_made(plans.max_pool if input.dtype.kind == "f" else plans.max_pool_of_any, input, *window))


def adaptive_max_pool(input: Array, output_size: Ints, spatial: int) -> tuple[Array, Array]:
    return tuple(_made(plans.adaptive_max_pool, input, output_size, spatial))


def max_pool_backward(grad_output: Array, indices: Array, input_shape: Ints, spatial: int) -> Array:
    size = prod(input_shape[-spatial:])
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise IndexError(f"max_pool_backward(): expected indices in [0, {size - 1}]")
    return _made(plans.max_pool_backward, grad_output, indices, input_shape, spatial)[0]


def max_unpool(input: Array, indices: Array, kernel: Ints, stride: Ints, padding: Ints, output_size: Ints) -> Array:
    """Zeros, and each maximum at its index into the flattened plane; the last of several that have one index."""
    outside = indices[(indices < 0) | (indices >= prod(output_size))]
    if outside.size:
        volume = "x".join(map(str, output_size))
        raise RuntimeError(
            f"max_unpool{len(kernel)}d(): Found an invalid max index: {outside[0]} (output volumes are of size "
            f"{volume})"
        )
    return _made(plans.max_unpool, input, indices, kernel, stride, padding, output_size)[0]


def avg_pool(input: Array, *window: Any) -> Array:
    """`window` is kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, spatial."""
    if input.dtype.kind in "iu":
        return full_avg_pool(input, *window)
    return _made(plans.avg_pool, input, *window)[0]


def avg_pool_backward(grad_output: Array, input_shape: Ints, *window: Any) -> Array:
    return _made(plans.avg_pool_backward, grad_output, input_shape, *window)[0]


def adaptive_avg_pool(input: Array, output_size: Ints, spatial: int) -> Array:
    return _made(plans.adaptive_avg_pool, input, output_size, spatial)[0]


def adaptive_avg_pool_backward(grad_output: Array, input_shape: Ints, spatial: int) -> Array:
    return _made(plans.adaptive_avg_pool_backward, grad_output, input_shape, spatial)[0]


def _made(find: Callable[..., Any], *arguments: Any) -> Any:
    return run(find, *[contiguous(a) if isinstance(a, np.ndarray) else a for a in arguments])
