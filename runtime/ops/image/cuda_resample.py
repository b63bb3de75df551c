"""Resampling along one dimension on a device, with the weights that the CPU's resampling has."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching import indexed
from ...cuda.views import in_order
from . import cuda_kernels as kernels
from .cpu_resample import Rows, filter_rows, integer_rows, transposed_rows

Array = DeviceArray


def resample(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    return multiplied(a, dim, length, filter_rows(a.shape[dim], length, filter, align_corners, scale, antialias))


def resample_backward(
    grad: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    rows = transposed_rows(length, grad.shape[dim], filter, align_corners, scale, antialias)
    return multiplied(grad, dim, length, rows)


def multiplied(a: Array, dim: int, length: int, rows: Rows, new: Callable[..., Array] = memory.result) -> Array:
    """A sparse matrix times the vectors along `dim`, in memory that `new` gives."""
    weights = memory.constant(rows.weights.astype(a.dtype, copy=False), a.device)
    result = new(a, (*a.shape[:dim], length, *a.shape[dim + 1 :]))
    args = in_order(a), *offsets_of(rows, a.device), weights, result, *sizes_of(a, dim, length)
    indexed.run(kernels.weighted_sums, result.size, a.dtype, *args)
    return result


def offsets_of(rows: Rows, device: Any) -> tuple[Array, Array]:
    starts, columns = (memory.constant(values.astype(np.int32), device) for values in rows[:2])
    return starts, columns


def sizes_of(a: Array, dim: int, length: int) -> tuple[int, int, int]:
    return a.shape[dim], length, prod(a.shape[dim + 1 :])


def resample_bytes(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    rows, bits = integer_rows(a.shape[dim], length, filter, align_corners, scale, antialias)
    weights = memory.constant(rows.weights, a.device)
    result = memory.empty((*a.shape[:dim], length, *a.shape[dim + 1 :]), np.dtype(np.uint8), a.device)
    args = in_order(a), *offsets_of(rows, a.device), weights, result, bits, *sizes_of(a, dim, length)
    indexed.run(kernels.weighted_bytes, result.size, np.dtype(np.int64), *args)
    return result
