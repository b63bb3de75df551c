"""Windows over arrays: as columns of a matrix, added up where they lie, and the places of repeated slices."""

from __future__ import annotations

from math import prod

import numpy as np

Array = np.ndarray
Ints = tuple[int, ...]


def im2col(a: Array, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    """(N, C, H, W) to (N, C kh kw, windows), the windows row by row."""
    down, across = padding
    edges = [(0, 0)] * (a.ndim - 2) + [(down, down), (across, across)]
    wide = np.pad(a, edges) if down or across else a
    windows = _windows(wide, kernel_size, dilation, stride)
    rows, columns = windows.shape[-2:]
    return windows.copy().reshape(*a.shape[:-3], a.shape[-3] * prod(kernel_size), rows * columns)


def col2im(columns: Array, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    """Zeros to which each column is added where its window lies: one place of all windows at a time."""
    (height, width), (down, across) = output_size, padding
    channels = columns.shape[-2] // prod(kernel_size)
    wide = np.zeros((*columns.shape[:-2], channels, height + 2 * down, width + 2 * across), columns.dtype)
    windows = _windows(wide, kernel_size, dilation, stride)
    parts = columns.reshape(windows.shape)
    for i, j in np.ndindex(kernel_size):
        windows[..., i, j, :, :] += parts[..., i, j, :, :]
    return np.ascontiguousarray(wide[..., down : down + height, across : across + width])


def _windows(a: Array, kernel_size: Ints, dilation: Ints, stride: Ints) -> Array:
    """A view (..., C, kh, kw, rows, columns) of (..., C, H, W)."""
    reach = [(k - 1) * d + 1 for k, d in zip(kernel_size, dilation, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(a.shape[-2:], reach, stride, strict=True)]
    inner = [step * d for step, d in zip(a.strides[-2:], dilation, strict=True)]
    outer = [step * s for step, s in zip(a.strides[-2:], stride, strict=True)]
    shape, strides = (*a.shape[:-2], *kernel_size, *counts), (*a.strides[:-2], *inner, *outer)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def unfold_backward(grad: Array, sizes: Ints, dim: int, length: int, step: int) -> Array:
    """Zeros to which the windows are added: one by one, or one place of all windows at once, whichever is less work."""
    result = np.zeros(sizes or (1,), grad.dtype)
    along = np.moveaxis(result, dim, -1)
    windows = np.moveaxis(grad if sizes else grad.reshape(1, length), dim, -1)  # (..., length, count)
    count: int = windows.shape[-1]
    if count < length:
        for i in range(count):
            along[..., i * step : i * step + length] += windows[..., i]
    else:
        for place in range(length):
            along[..., place : place + step * count : step] += windows[..., place, :]
    return result.reshape(sizes)


def repeat_places(repeats: Array, output_size: int | None) -> Array:
    """The index i, repeats[i] times, for each i."""
    if repeats.size and repeats.min() < 0:
        raise RuntimeError(f"repeat_interleave(): repeats can not be negative, got {repeats.min()}")
    total = int(repeats.sum())
    if output_size not in (None, total):
        raise RuntimeError(f"repeat_interleave(): allocated size {output_size} does not match required size {total}")
    return np.repeat(np.arange(repeats.size), repeats)
