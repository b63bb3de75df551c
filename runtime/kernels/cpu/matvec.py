"""Products of matrices with vectors, in an order that, unlike BLAS's, does not depend on the number of threads."""

import numpy as np

from ...compiler.jit import jit
from ..llvm.addresses import clear, empty_row, part_of

Array = np.ndarray

_BLOCK = 1024  # products that are added in vector lanes before their sum is added to the others
WIDTH = 1024  # columns that are added up side by side
_SHORT = 32  # elements of a row that are added one by one, those of eight rows side by side
_NARROW = 16  # columns that lie in few vector registers: where there are no more, each of these holds a row's


@jit(fastmath={"reassoc", "contract", "nsz"})
def rows_by_vector(a: Array, x: Array, y: Array, first: int, last: int) -> None:
    """y_i = sum_k a_ik x_k for some fours of rows; from block to block of a row in double precision."""
    if x.size <= _SHORT:
        short_rows_by_vector(a, x, y, 4 * first, min(4 * last, y.size))
        return
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
def short_rows_by_vector(a: Array, x: Array, y: Array, first: int, last: int) -> None:
    """The same for some short rows: eight side by side, for a sum waits for itself."""
    zero, eights = y.dtype.type(0), first + (last - first) // 8 * 8
    for i in range(first, eights, 8):
        rows = a[i : i + 8]
        sum1 = sum2 = sum3 = sum4 = sum5 = sum6 = sum7 = sum8 = zero
        for k in range(x.size):
            each = x[k]
            sum1, sum2, sum3 = sum1 + rows[0, k] * each, sum2 + rows[1, k] * each, sum3 + rows[2, k] * each
            sum4, sum5, sum6 = sum4 + rows[3, k] * each, sum5 + rows[4, k] * each, sum6 + rows[5, k] * each
            sum7, sum8 = sum7 + rows[6, k] * each, sum8 + rows[7, k] * each
        y[i], y[i + 1], y[i + 2], y[i + 3] = sum1, sum2, sum3, sum4
        y[i + 4], y[i + 5], y[i + 6], y[i + 7] = sum5, sum6, sum7, sum8
    for i in range(eights, last):
        row, sum1 = a[i], zero
        for k in range(x.size):
            sum1 += row[k] * x[k]
        y[i] = sum1


@jit(fastmath={"contract"})
def columns_by_vector(a: Array, x: Array, y: Array, first: int, last: int) -> None:
    """y_j = sum_k x_k a_kj for some blocks of columns; four rows at a time, which saves reading the sums."""
    if y.size <= _NARROW:
        narrow_columns_by_vector(a.reshape(a.size), x, y)
        return
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


@jit(fastmath={"contract"})
def narrow_columns_by_vector(a: Array, x: Array, y: Array) -> None:
    """The same of few columns: what is read behind a row fills lanes of its vector whose sums nobody wants."""
    count = y.size
    # Four rows at a time as long as a vector of the last one ends in the matrix.
    rows = max(0, a.size - _NARROW + count) // count // 4 * 4
    sums = empty_row(y.dtype.type(0), 4 * _NARROW)
    clear(sums)
    for k in range(0, rows, 4):
        x1, x2, x3, x4 = x[k], x[k + 1], x[k + 2], x[k + 3]
        row1, row2 = part_of(a, k * count, _NARROW), part_of(a, (k + 1) * count, _NARROW)
        row3, row4 = part_of(a, (k + 2) * count, _NARROW), part_of(a, (k + 3) * count, _NARROW)
        for j in range(_NARROW):
            sums[j] += x1 * row1[j]
            sums[_NARROW + j] += x2 * row2[j]
            sums[2 * _NARROW + j] += x3 * row3[j]
            sums[3 * _NARROW + j] += x4 * row4[j]
    for j in range(count):
        y[j] = (sums[j] + sums[_NARROW + j]) + (sums[2 * _NARROW + j] + sums[3 * _NARROW + j])
    for k in range(rows, x.size):
        for j in range(count):
            y[j] += x[k] * a[k * count + j]


@jit
def multiply_vectors(a: Array, x: Array, y: Array, transposed: bool, first: int, last: int) -> None:
    for b in range(first, last):
        if transposed:
            columns_by_vector(a[b], x[b], y[b], 0, (y.shape[1] + WIDTH - 1) // WIDTH)
        else:
            rows_by_vector(a[b], x[b], y[b], 0, (y.shape[1] + 3) // 4)
