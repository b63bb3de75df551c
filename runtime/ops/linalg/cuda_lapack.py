"""Triangular systems and LU decompositions on a device; of LDL decompositions it has none."""

from __future__ import annotations

from math import prod

import numpy as np

from ...device.cuda.array import DeviceArray
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import swapped
from . import cpu_lapack as cpu
from . import cuda_kernels as kernels
from .cuda_batches import all_of, checked, factored, library, stream_of, with_library

Array = DeviceArray


@with_library(cpu.solve_triangular_matrices)
def solve_triangular_matrices(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    value, result = arrays.contiguous(a), arrays.copied(b)
    n, k = result.shape[-2:]
    if result.size:  # X^T A^T = B^T: rows are the columns of the transpose
        left, right = all_of(value), all_of(result)
        library().trsm_all(b.dtype, upper, unitriangular, k, n, left, right, prod(b.shape[:-2]), stream_of(b))
    return result


@with_library(cpu.lu_packed)
def lu_packed(a: Array, check_errors: bool) -> tuple[Array, Array, Array]:
    packed, pivots, info = factored(a)
    checked("linalg_lu_factor", cpu._ZERO_U, info, check_errors)
    return swapped(packed), pivots, info


def row_order(pivots: Array, rows: int) -> Array:
    value, batch = arrays.contiguous(pivots), pivots.shape[:-1]
    order = arrays.empty((*batch, rows), np.dtype(np.int64), pivots.device)
    per_element.run(kernels.rows_in_order, prod(batch), order.dtype, value, order, rows, pivots.shape[-1])
    return order
