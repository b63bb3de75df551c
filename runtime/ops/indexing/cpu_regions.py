"""Copies with other elements in the place of a view: of a slice, of several, or of a diagonal."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.movement.copies import copied
from ...tensor import views
from ...tensor.shapes import contiguous_strides

Array = np.ndarray
Ints = tuple[int, ...]


def select_scatter(a: Array, src: Array, dim: int, index: int) -> Array:
    """A copy of a with src at `index` along `dim`."""
    return _written(a, src, views.select(a.shape, contiguous_strides(a.shape), 0, dim, index))


def slice_scatter(a: Array, src: Array, dim: int, start: int, end: int, step: int) -> Array:
    """A copy of a with src in start:end:step along `dim`."""
    return _written(a, src, views.slice(a.shape, contiguous_strides(a.shape), 0, dim, start, end, step))


def diagonal_scatter(a: Array, src: Array, offset: int, dim1: int, dim2: int) -> Array:
    """A copy of a with src on a diagonal."""
    return _written(a, src, views.diagonal(a.shape, contiguous_strides(a.shape), 0, offset, dim1, dim2))


def _written(a: Array, src: Array, layout: views.Layout) -> Array:
    result = copied(a)
    shape, steps, first = layout
    if src.size:
        strides = tuple([step * a.itemsize for step in steps])
        np.ndarray(shape, result.dtype, result, first * a.itemsize, strides)[...] = src
    return result
