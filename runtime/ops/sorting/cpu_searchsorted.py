"""Positions of values in ordered rows, by bisection, and membership."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.jit import jit

Array = np.ndarray


def searchsorted_indices(sorted_sequence: Array, self: Array, right: bool, sorter: Array | None) -> Array:
    """Where each element would be put in to keep its row in order, before its equals or after them."""
    wide = np.float64 if self.dtype.kind == "f" else np.uint64 if self.dtype == np.uint64 else np.int64
    rows = sorted_sequence if sorter is None else np.take_along_axis(sorted_sequence, sorter, -1)
    out = np.empty(self.shape, np.int64)
    if self.size:
        count = 1 if rows.ndim == 1 else math.prod(rows.shape[:-1])
        arrays = [contiguous(a.astype(wide, copy=False)).reshape(count, a.size // count) for a in (rows, self)]
        bisect(*arrays, right, out.reshape(arrays[1].shape))
    return out


@jit
def bisect(rows: Array, values: Array, right: bool, out: Array) -> None:
    """Each value in its row; nan is greater than everything."""
    for r in range(values.shape[0]):
        for i in range(values.shape[1]):
            value, low, high = values[r, i], 0, rows.shape[1]
            while low < high:
                middle = (low + high) // 2
                found = rows[r, middle]
                if found > value or (found >= value and not right):
                    high = middle
                else:
                    low = middle + 1
            out[r, i] = low


def is_among(elements: Array, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    """Whether each element equals one of `test_elements`; nan equals nothing. What is unique anyway is no matter."""
    return np.isin(elements, test_elements, invert=invert)
