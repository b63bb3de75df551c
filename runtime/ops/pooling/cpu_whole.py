"""Means of windows of whole numbers: exact sums, divided towards zero."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Ints = tuple[int, ...]


def full_avg_pool(
    input: Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    spatial: int,
) -> Array:
    total, count = input, np.ones((1,) * spatial, np.int64)
    kernel, steps, pads = (
        tuple(v) * spatial if len(v) == 1 else v for v in (kernel_size, stride or kernel_size, padding)
    )
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
    """Where each window of a dimension begins and ends, and how many elements it is divided by."""
    count = (size + 2 * pad - kernel + (step - 1) * ceil_mode) // step + 1
    if ceil_mode and (count - 1) * step >= size + pad:
        count -= 1  # the last window would lie in the padding alone
    begin = np.arange(count) * step - pad
    end = np.minimum(begin + kernel, size + pad)
    first, last = np.clip(begin, 0, size), np.clip(end, 0, size)
    return first, last, end - begin if all_count else last - first
