"""Products of matrices with vectors, in loops of our own.

BLAS shares a large product out between its threads so that the order of its sums, and with it the last bits, depends on
their number. Here every element of a result has its order of sums whichever thread computes it. Small products of
complex numbers, of whole batches and of two vectors are left to BLAS, which computes them in one thread.
"""

from __future__ import annotations

import numpy as np

from ...pool.parallel_for import shared
from ..jit import jit

Array = np.ndarray

SMALL = 9000  # elements of a matrix; for as few BLAS never uses a second thread
_BLOCK = 1024  # products that are added in vector lanes before their sum is added to the others
WIDTH = 1024  # columns that are added up side by side


def is_for_numpy(matrix: Array, vector: Array) -> bool:
    """Whether the product is left to NumPy: also where there are no loops for the dtypes."""
    return matrix.size <= SMALL or matrix.dtype is not vector.dtype or matrix.dtype.char not in "fdFD"


def has_loops(matrix: Array, vector: Array) -> bool:
    """Whether a product of real numbers is for our own loops, whatever its size."""
    return matrix.dtype is vector.dtype and matrix.dtype.char in "fd"


def product(a: Array, b: Array) -> Array:
    """NumPy's product. Inf and nan are results here, also for users who make NumPy's warnings errors."""
    try:
        return a.dot(b) if a.ndim < 3 else np.matmul(a, b)
    except (RuntimeWarning, FloatingPointError):
        with np.errstate(all="ignore"):
            return np.matmul(a, b)


def vector_vector(x: Array, y: Array) -> Array:
    """sum_k x_k y_k."""
    return product(x, y) if is_for_numpy(x, y) else matrix_vector(x[None], y).reshape(())


def matrix_vector(a: Array, x: Array) -> Array:
    """y_i = sum_k a_ik x_k; the matrix may be a transposed view."""
    if is_for_numpy(a, x) and not has_loops(a, x):
        return product(a, x)
    y = np.empty(len(a), a.dtype)
    if a.T.flags.c_contiguous and not a.flags.c_contiguous:
        a, loop, unit = a.T, columns_by_vector, WIDTH
    else:
        a, loop, unit = np.ascontiguousarray(a), rows_by_vector, 4
    shared(loop, (a, np.ascontiguousarray(x), y), -(-y.size // unit), a.size)
    return y


def by_vectors(a: Array, b: Array) -> Array:
    """The product of two matrices of which one is a single row or column."""
    y = matrix_vector(b.T, a[0]) if len(a) == 1 else matrix_vector(a, b[:, 0])
    return y.reshape(len(a), b.shape[1])


def rows_by_matrices(a: Array, b: Array) -> Array:
    """The product of one row and one matrix for each item of a batch."""
    if not len(a) or is_for_numpy(b[0], a[0]):
        return product(a, b)
    return matrices_vectors(b.swapaxes(1, 2), a[:, 0])[:, None]


def matrices_vectors(a: Array, x: Array) -> Array:
    """y_bi = sum_k a_bik x_bk; matrices may be transposed views."""
    transposed = a.swapaxes(1, 2).flags.c_contiguous and not a.flags.c_contiguous
    a, x, y = (
        a.swapaxes(1, 2) if transposed else np.ascontiguousarray(a),
        np.ascontiguousarray(x),
        np.empty(a.shape[:2], a.dtype),
    )
    shared(_multiply_each, (a, x, y, transposed), len(y), a.size)
    return y


@jit
def _multiply_each(a: Array, x: Array, y: Array, transposed: bool, first: int, last: int) -> None:
    """y_b = a_b x_b, or a_b^T x_b, for some items of a batch."""
    for b in range(first, last):
        if transposed:
            columns_by_vector(a[b], x[b], y[b], 0, (y.shape[1] + WIDTH - 1) // WIDTH)
        else:
            rows_by_vector(a[b], x[b], y[b], 0, (y.shape[1] + 3) // 4)


@jit(fastmath={"reassoc", "contract", "nsz"})
def rows_by_vector(a: Array, x: Array, y: Array, first: int, last: int) -> None:
    """y_i = sum_k a_ik x_k for some fours of rows: what is read of x serves all four.

    From block to block of a row sums are in double precision.
    """
    for i in range(4 * first, min(4 * last, y.size // 4 * 4), 4):
        a1, a2, a3, a4 = a[i], a[i + 1], a[i + 2], a[i + 3]
        sum1 = sum2 = sum3 = sum4 = y.dtype.type(0) * 1.0
        for k in range(0, x.size, _BLOCK):
            end = k + _BLOCK
            vector, row1, row2, row3, row4 = x[k:end], a1[k:end], a2[k:end], a3[k:end], a4[k:end]
            part1 = part2 = part3 = part4 = y.dtype.type(0)
            for j in range(vector.size):
                part1 += row1[j] * vector[j]
                part2 += row2[j] * vector[j]
                part3 += row3[j] * vector[j]
                part4 += row4[j] * vector[j]
            sum1, sum2, sum3, sum4 = sum1 + part1, sum2 + part2, sum3 + part3, sum4 + part4
        y[i], y[i + 1], y[i + 2], y[i + 3] = sum1, sum2, sum3, sum4
    for i in range(y.size // 4 * 4, min(4 * last, y.size)):
        row1, sum1 = a[i], y.dtype.type(0) * 1.0
        for k in range(0, x.size, _BLOCK):
            vector, block, part1 = x[k : k + _BLOCK], row1[k : k + _BLOCK], y.dtype.type(0)
            for j in range(vector.size):
                part1 += block[j] * vector[j]
            sum1 += part1
        y[i] = sum1


@jit(fastmath={"contract"})
def columns_by_vector(a: Array, x: Array, y: Array, first: int, last: int) -> None:
    """y_j = sum_k x_k a_kj for some blocks of columns; four rows at a time, which saves reading the sums."""
    fours = x.size // 4 * 4
    for start in range(first * WIDTH, min(last * WIDTH, y.size), WIDTH):
        end = start + WIDTH
        sums = y[start:end]  # a block that stays in the first-level cache while the rows go by
        sums[:] = 0
        for k in range(0, fours, 4):
            x1, x2, x3, x4 = x[k], x[k + 1], x[k + 2], x[k + 3]
            row1, row2, row3, row4 = a[k, start:end], a[k + 1, start:end], a[k + 2, start:end], a[k + 3, start:end]
            for j in range(sums.size):
                sums[j] += (x1 * row1[j] + x2 * row2[j]) + (x3 * row3[j] + x4 * row4[j])
        for k in range(fours, x.size):
            x1, row1 = x[k], a[k, start:end]
            for j in range(sums.size):
                sums[j] += x1 * row1[j]
