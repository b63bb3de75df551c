"""The transposes of windows over an array, and the places that repeated slices come from."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Ints = tuple[int, ...]


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
