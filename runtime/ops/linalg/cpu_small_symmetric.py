"""Eigenvalues and eigenvectors of small symmetric matrices by LAPACK's syevd, which has signs that programs know."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.transpose import transpose_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, call_c, empty_row, item_size, part_of
from ...kernels.scalar.primitives import choose
from .cpu_least_squares import all_finite

Array = np.ndarray

LAPACK_JOBZ_UPLO = ord("V") + 256 * ord("L")  # eigenvectors are wanted, lower triangles are given


@jit
def has_finite_triangle(matrix: Array, n: int) -> bool:
    """Whether there is neither an infinity nor a nan in the lower triangle."""
    finite = True
    for i in range(n):
        finite = finite and all_finite(part_of(matrix, i * n, i + 1))
    return finite


@jit
def small_eigen_each(
    a: Array,
    values: Array,
    vectors: Array,
    info: Array,
    n: int,
    single: int,
    double: int,
    first: int,
    last: int,
) -> None:
    """`eigen_each` of matrices of few rows; `single` and `double` are the addresses of syevd for both dtypes."""
    like, size = a.dtype.type(0), item_size(a.dtype.type(0))
    columns, work, ints = (
        empty_row(like, n * n),
        empty_row(like, 1 + 6 * n + 2 * n * n),
        empty_row(np.int32(0), 8 + 5 * n),
    )
    at = address(ints)
    for i in range(first, last):
        matrix, value = part_of(a, i * n * n, n * n), address(a) + i * n * n * size
        transpose_at(like, value, n * size, n, n, address(columns), n * size)
        ints[0], ints[1], ints[2], ints[3], ints[4] = LAPACK_JOBZ_UPLO, n, work.size, 3 + 5 * n, 0
        if has_finite_triangle(matrix, n):
            call_c(
                choose(like, single, double),
                (
                    at,
                    at + 1,
                    at + 4,
                    address(columns),
                    at + 4,
                    address(values) + i * n * size,
                    address(work),
                    at + 8,
                    at + 20,
                    at + 12,
                    at + 16,
                ),
            )
            info[i] = ints[4]
        else:
            info[i] = 1
        transpose_at(like, address(columns), n * size, n, n, address(vectors) + i * n * n * size, n * size)
