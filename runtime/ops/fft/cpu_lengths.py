"""Shapes and arrays whose dimensions are brought to other lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray


def with_sizes(shape: Sequence[int], sizes: Sequence[int], dim: Sequence[int]) -> tuple[int, ...]:
    matches = list(shape)
    for d, size in zip(dim, sizes, strict=True):
        matches[d] = size
    return tuple(matches)


def resized(a: Array, shape: Sequence[int]) -> Array:
    """An array whose first dimensions are cut, or filled up with zeros, to other sizes."""
    cropped = a[tuple([slice(size) for size in shape])]
    if cropped.shape[: len(shape)] == tuple(shape):
        return cropped
    result = np.zeros((*shape, *a.shape[len(shape) :]), a.dtype)
    result[tuple([slice(size) for size in cropped.shape])] = cropped
    return result
