"""Positions of values in ordered rows, and membership."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import run
from . import plans

Array = np.ndarray


def searchsorted_indices(sorted_sequence: Array, self: Array, right: bool, sorter: Array | None) -> Array:
    """Where each element would be put in to keep its row in order, before its equals or after them."""
    wide = np.float64 if self.dtype.kind == "f" else np.uint64 if self.dtype == np.uint64 else np.int64
    result_dims = np.float32 if self.dtype == sorted_sequence.dtype == np.float32 else wide
    rows = sorted_sequence if sorter is None else np.take_along_axis(sorted_sequence, sorter, -1)
    if not self.size:
        return np.empty(self.shape, np.int64)
    arrays = [contiguous(a.astype(result_dims, copy=False)) for a in (rows, self)]
    entry: Array = run(plans.searchsorted_indices, *arrays, right, None)[0]
    return entry


def is_among(elements: Array, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    """Whether each element equals one of `test_elements`; nan equals nothing. What is unique anyway is no matter."""
    return np.isin(elements, test_elements, invert=invert)
