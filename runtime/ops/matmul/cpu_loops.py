"""Products of matrices, also of those given by coordinates: on memory from the first element of each operand on."""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_run
from ...kernels.cpu.matmul import multiply_within
from ...kernels.cpu.matvec import WIDTH, columns_by_vector, rows_by_vector
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, part_of
from ...kernels.llvm.gather import AHEAD, sum_of_rows

ADDING, BY_COLUMNS = 1, 2


@jit
def matrix_product(
    a: Array, b: Array, out: Array, rows: int, depth: int, columns: int, trans_a: int, a_row: int, trans_b: int,
    b_row: int, how: int, first: int, last: int,
) -> None:  # fmt: skip
    """out = a b (+ out with `how` & ADDING); a range of rows, or with BY_COLUMNS of columns. a and b may be given as
    transposes; their rows as they lie are a_row and b_row elements apart."""
    like, size, left, right, count = out.dtype.type(0), out.itemsize, trans_a != 0, trans_b != 0, last - first
    begin, other, to, add = address(a), address(b), address(out), how & ADDING != 0
    if how & BY_COLUMNS:
        other, to = other + first * size * (b_row if right else 1), to + first * size
        lines, across = rows, max(count, 0)
    else:
        begin, to = begin + first * size * (1 if left else a_row), to + first * size * columns
        lines, across = max(count, 0), columns
    multiply_within(
        like, begin, a_row * size, left, other, b_row * size, right, to, columns * size, lines, depth, across, add
    )


@jit
def batch_product(
    a: Array, b: Array, out: Array, rows: int, depth: int, columns: int, trans_a: int, a_row: int, trans_b: int,
    b_row: int, a_item: int, b_item: int, first: int, last: int,
) -> None:  # fmt: skip
    """As `matrix_product` for each item, all or none of them transposes; a range of the rows of all."""
    like, size, left, right, i = out.dtype.type(0), out.itemsize, trans_a != 0, trans_b != 0, first
    while i < last:
        item, row = i // rows, i % rows
        stop = min(rows, row + last - i)
        begin = address(a) + (item * a_item + row * (1 if left else a_row)) * size
        other, to = address(b) + item * b_item * size, address(out) + i * columns * size
        lines, step = stop - row, columns * size
        multiply_within(
            like, begin, a_row * size, left, other, b_row * size, right, to, step, lines, depth, columns, False
        )
        i += lines


@jit
def row_repeated(row: Array, out: Array, rows: int, columns: int, how: int, first: int, last: int) -> None:
    """out[i] = row, for the rows, or with `how` & BY_COLUMNS the columns, of a range."""
    if how & BY_COLUMNS:
        for i in range(rows):
            copy_run(row, first, out, i * columns + first, last - first)
    else:
        for i in range(first, last):
            copy_run(row, 0, out, i * columns, columns)


@jit
def row_added(row: Array, out: Array, rows: int, columns: int) -> None:
    for i in range(rows):
        line = part_of(out, i * columns, columns)
        for j in range(columns):
            line[j] += row[j]


@jit
def outer_products(
    x: Array, y: Array, out: Array, rows: int, columns: int, x_stride: int, each: int, y_stride: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """out[b, i, j] = x[b x_stride + i each] y[b y_stride + j], for a range of the rows of all."""
    for k in range(first, last):
        line, one = part_of(out, k * columns, columns), x[k // rows * x_stride + k % rows * each]
        row = part_of(y, k // rows * y_stride, columns)
        for j in range(line.size):
            line[j] = one * row[j]


@jit
def scaled_and_added(
    c: Array, out: Array, beta: float, alpha: float, outer: int, inner: int, size: int, step0: int, step1: int,
    step2: int,
) -> None:  # fmt: skip
    """out = alpha out + beta c, which is read in steps; not at all where beta is 0."""
    to = out.dtype.type
    for q in range(outer):
        for r in range(inner):
            line, at = part_of(out, (q * inner + r) * size, size), q * step0 + r * step1
            if alpha != 1:
                for j in range(size):
                    line[j] *= to(alpha)
            if beta != 0:
                for j in range(size):
                    line[j] += to(beta) * c[at + j * step2]


@jit
def matrix_vector_product(a: Array, x: Array, out: Array, rows: int, depth: int, first: int, last: int) -> None:
    """out = a x, for a range of fours of rows."""
    rows_by_vector(part_of(a, 0, rows * depth).reshape((rows, depth)), part_of(x, 0, depth), out, first, last)


@jit
def transposed_vector_product(a: Array, x: Array, out: Array, depth: int, columns: int, first: int, last: int) -> None:
    matrix = part_of(a, 0, depth * columns).reshape((depth, columns))
    columns_by_vector(matrix, part_of(x, 0, depth), out, first, last)


@jit
def matrix_vector_products(a: Array, x: Array, out: Array, rows: int, depth: int, first: int, last: int) -> None:
    for item in range(first, last):
        matrix = part_of(a, item * rows * depth, rows * depth).reshape((rows, depth))
        rows_by_vector(matrix, part_of(x, item * depth, depth), part_of(out, item * rows, rows), 0, (rows + 3) // 4)


@jit(fastmath={"reassoc", "contract", "nsz"})
def dot_products(a: Array, x: Array, out: Array, depth: int, first: int, last: int) -> None:
    """out_b = sum_k a_bk x_bk of short rows for a range of items: four side by side, for one alone waits for itself."""
    fours = first + (last - first) // 4 * 4
    for b in range(first, fours, 4):
        row1, row2 = part_of(a, b * depth, depth), part_of(a, (b + 1) * depth, depth)
        row3, row4 = part_of(a, (b + 2) * depth, depth), part_of(a, (b + 3) * depth, depth)
        own1, own2 = part_of(x, b * depth, depth), part_of(x, (b + 1) * depth, depth)
        own3, own4 = part_of(x, (b + 2) * depth, depth), part_of(x, (b + 3) * depth, depth)
        sum1 = sum2 = sum3 = sum4 = a.dtype.type(0)
        for k in range(depth):
            sum1 += row1[k] * own1[k]
            sum2 += row2[k] * own2[k]
            sum3 += row3[k] * own3[k]
            sum4 += row4[k] * own4[k]
        out[b], out[b + 1], out[b + 2], out[b + 3] = sum1, sum2, sum3, sum4
    for b in range(fours, last):
        row1, own1, sum1 = part_of(a, b * depth, depth), part_of(x, b * depth, depth), a.dtype.type(0)
        for k in range(depth):
            sum1 += row1[k] * own1[k]
        out[b] = sum1


@jit
def transposed_vector_products(a: Array, x: Array, out: Array, depth: int, columns: int, first: int, last: int) -> None:
    for item in range(first, last):
        matrix, blocks = part_of(a, item * depth * columns, depth * columns), (columns + WIDTH - 1) // WIDTH
        vector, to = part_of(x, item * depth, depth), part_of(out, item * columns, columns)
        columns_by_vector(matrix.reshape((depth, columns)), vector, to, 0, blocks)


@jit
def matrix_vector_sum(
    a: Array, x: Array, shift: Array, out: Array, rows: int, depth: int, step: int, first: int, last: int
) -> None:
    """out = a x + shift, of which there is one for all where `step` is 0."""
    matrix_vector_product(a, x, out, rows, depth, first, last)
    for i in range(4 * first, min(4 * last, rows)):  # afterwards, as two ops would add it: the same bits
        out[i] += shift[i * step]


@jit
def transposed_vector_sum(
    a: Array, x: Array, shift: Array, out: Array, depth: int, columns: int, step: int, first: int, last: int
) -> None:
    transposed_vector_product(a, x, out, depth, columns, first, last)
    for i in range(WIDTH * first, min(WIDTH * last, columns)):
        out[i] += shift[i * step]


@jit
def coordinate_product(
    x: Array, row: Array, column: Array, b: Array, out: Array, numbers: int, count: int, depth: int, width: int,
    first: int, last: int,
) -> None:  # fmt: skip
    positions = empty_row(np.int64(0), numbers + AHEAD)
    for k in range(numbers):
        if row[k] < 0 or row[k] >= count or column[k] < 0 or column[k] >= depth:
            raise IndexError
        positions[k] = column[k] * width + first
    positions[numbers:] = 0
    for i in range(count):
        part_of(out, i * width + first, last - first)[:] = 0
    start = 0
    while start < numbers:
        end = start + 1
        while end < numbers and row[end] == row[start]:
            end += 1
        sum_of_rows(b, positions, x, start, end, part_of(out, row[start] * width + first, last - first))
        start = end
