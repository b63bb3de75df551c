"""Positions of values in ordered rows on a CUDA device, by bisection, and membership."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import numbers, over_elements, pinned_reader
from ...cuda.memory import contiguous
from ...kernels.cuda.moving.searching import bisecting, matching
from . import cpu_searchsorted

INT64 = np.dtype(np.int64)
BOOL, FLOAT64 = np.dtype(np.bool_), np.dtype(np.float64)


@pinned_reader(cpu_searchsorted.searchsorted_indices)
def searchsorted_indices(
    sorted_sequence: DeviceArray, self: DeviceArray, right: bool, sorter: DeviceArray | None
) -> DeviceArray:
    result = memory.empty(self.shape, INT64, self.device)
    if result.size:
        computed = FLOAT64 if self.dtype.kind == "f" else INT64
        is_batched, length = sorted_sequence.ndim > 1, sorted_sequence.shape[-1]
        count = prod(sorted_sequence.shape[:-1])
        order: Any = () if sorter is None else contiguous(sorter)
        args = contiguous(sorted_sequence), contiguous(self), order, result
        kernel = bisecting(computed, sorter is not None)
        over_elements(kernel, result.size, *args, *numbers(length, self.size // count, right, is_batched))
    return result


@pinned_reader(cpu_searchsorted.is_among)
def is_among(elements: DeviceArray, test_elements: DeviceArray, assume_unique: bool, invert: bool) -> DeviceArray:
    result = memory.empty(elements.shape, BOOL, elements.device)
    computed = joint(elements.dtype, test_elements.dtype)
    args = contiguous(elements), contiguous(test_elements), result
    over_elements(matching(computed), result.size, *args, *numbers(test_elements.size), np.bool_(invert))
    return result


def joint(one: np.dtype, other: np.dtype) -> np.dtype:
    kinds = one.kind + other.kind
    if "c" in kinds:
        return np.dtype(np.complex128)
    return INT64 if set(kinds) <= set("iub") else FLOAT64
