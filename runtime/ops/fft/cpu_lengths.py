"""Shapes and arrays whose dimensions are brought to other lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray


def with_sizes(shape: Sequence[int], sizes: Sequence[int], dim: Sequence[int]) -> tuple[int, ...]:
    found = list(shape)
    for d, size in zip(dim, sizes, strict=True):
        found[d] = size
    return tuple(found)


def resized(a: Array, shape: Sequence[int]) -> Array:
    """An array whose first dimensions are cut, or filled up with zeros, to other sizes."""
    kept = a[tuple([slice(size) for size in shape])]
    if kept.shape[: len(shape)] == tuple(shape):
        return kept
    result = np.zeros((*shape, *a.shape[len(shape) :]), a.dtype)
    result[tuple([slice(size) for size in kept.shape])] = kept
    return result
