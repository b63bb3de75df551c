"""Structured kernels on flat memory, as plans call them: operands, results, then ints, then numbers.

The last two ints of many are the range of rows, or of results, that the call is for: see Step.rows.
"""

from __future__ import annotations

import numpy as np

from ...ops.reduction.cpu_backward import broadcast_divided, extremum_backward_loop, var_backward_loop
from ...ops.reduction.cpu_reduce_loops import grouped_column_sums, row_sums, variances
from ..jit import jit
from ..llvm.addresses import address, part_of, row_at
from .index_select import take_rows
from .matmul import multiply_rows
from .matvec import WIDTH, columns_by_vector, rows_by_vector
from .sums import CHUNK, chunk_sums, plain_sum, sum_of_chunks

Array = np.ndarray


@jit(flat=True)
def total(x: Array, out: Array) -> None:
    """out = sum_i x_i."""
    out[0] = plain_sum(x)


@jit(flat=True)
def totals_of_chunks(x: Array, totals: Array, first: int, last: int) -> None:
    """totals[k] = the sum of chunk k of x, in float64."""
    chunk_sums(x, row_at(0.0, address(totals), (x.size + CHUNK - 1) // CHUNK), first, last)


@jit(flat=True)
def total_of_chunks(totals: Array, out: Array, count: int, divisor: float) -> None:
    """out = sum_k totals_k / divisor, for the totals of `count` chunks."""
    out[0] = sum_of_chunks(row_at(0.0, address(totals), count)) / divisor


@jit(flat=True)
def added_rows(x: Array, out: Array, along: int, first: int, last: int, divisor: float) -> None:
    """out[r] = sum of row r / divisor, for rows of `along` elements."""
    row_sums(x, along, divisor, out, first, last)


@jit(flat=True)
def added_columns(
    x: Array, out: Array, before: int, along: int, after: int, first: int, last: int, divisor: float
) -> None:
    """out[b, j] = sum_i x[b, i, j] / divisor, for x of shape (before, along, after) with after > 1."""
    grouped_column_sums(x.reshape((before, along, after)), divisor, out, first, last)


@jit(flat=True)
def spread(grad: Array, out: Array, before: int, along: int, after: int, first: int, last: int, divisor: float) -> None:
    """out[b, i, j] = grad[b, j] / divisor: the gradient of a sum or a mean, broadcast along."""
    broadcast_divided(grad, divisor, out.reshape((before, along, after)), first, last)


@jit(flat=True)
def times(
    a: Array,
    b: Array,
    out: Array,
    rows: int,
    depth: int,
    columns: int,
    trans_a: int,
    trans_b: int,
    add: int,
    first: int,
    last: int,
) -> None:
    """out = a b, or out + a b with `add`; a and b may each be given as its transpose."""
    left = part_of(a, 0, rows * depth).reshape((depth, rows) if trans_a else (rows, depth))
    right = part_of(b, 0, depth * columns).reshape((columns, depth) if trans_b else (depth, columns))
    multiply_rows(left, right, out.reshape((rows, columns)), trans_a != 0, trans_b != 0, add != 0, first, last)


@jit(flat=True)
def copy_run(x: Array, start: int, out: Array, offset: int, count: int) -> None:
    """out[offset + i] = x[start + i], for i below `count`."""
    row, to = part_of(x, start, count), part_of(out, offset, count)
    for i in range(count):
        to[i] = row[i]


@jit(flat=True)
def repeated(row: Array, out: Array, rows: int, columns: int) -> None:
    """out[i] = row, for `rows` rows."""
    for i in range(rows):
        copy_run(row, 0, out, i * columns, columns)


@jit(flat=True)
def row_added(row: Array, out: Array, rows: int, columns: int) -> None:
    """out[i] += row, for `rows` rows."""
    for i in range(rows):
        line = part_of(out, i * columns, columns)
        for j in range(columns):
            line[j] += row[j]


@jit(flat=True)
def gathered(x: Array, out: Array, n0: int, n1: int, n2: int, s0: int, s1: int, s2: int) -> None:
    """out[i, j, k] = x[i s0 + j s1 + k s2]: a contiguous copy of a strided array of up to three dimensions."""
    offset = 0
    for i in range(n0):
        for j in range(n1):
            start, to = i * s0 + j * s1, part_of(out, offset, n2)
            if s2 == 1:
                copy_run(x, start, out, offset, n2)
            else:
                for k in range(n2):
                    to[k] = x[start + k * s2]
            offset += n2


@jit(flat=True)
def embedded(x: Array, out: Array, before: int, size: int, after: int, start: int, step: int, count: int) -> None:
    """Zeros with x at `count` of `size` indices along, from `start` on, `step` apart: the gradient of a slice."""
    out[:] = 0
    for b in range(before):
        for i in range(count):
            copy_run(x, (b * count + i) * after, out, (b * size + start + i * step) * after, after)


@jit(flat=True)
def rows_found(x: Array, indices: Array, out: Array, rows: int, width: int, count: int, first: int, last: int) -> None:
    """out[i] = x[indices[i]]; raises where an index is out of bounds, and the kernel in Python then says which."""
    outside = np.zeros(1, np.int64)
    table, to = part_of(x, 0, rows * width).reshape((rows, width)), out.reshape((count, width))
    take_rows(table, indices, 0, to, outside, first, last)
    if outside[0]:
        raise IndexError


@jit(flat=True)
def put_two(x: Array, y: Array, out: Array, one: int, other: int, first: int, last: int) -> None:
    """out[i] = x[i] and y[i] side by side. Row by row, as large arrays are written faster from front to back."""
    for i in range(first, last):
        offset = i * (one + other)
        copy_run(x, i * one, out, offset, one)
        copy_run(y, i * other, out, offset + one, other)


@jit(flat=True)
def put_piece(x: Array, out: Array, rows: int, piece: int, whole: int, offset: int) -> None:
    """out[i, offset:offset + piece] = x[i], for rows of `whole` elements: one operand of a concatenation."""
    for i in range(rows):
        copy_run(x, i * piece, out, i * whole + offset, piece)


@jit(flat=True)
def take_piece(x: Array, out: Array, rows: int, piece: int, whole: int, offset: int) -> None:
    """out[i] = x[i, offset:offset + piece], for rows of `whole` elements: one piece of a split."""
    for i in range(rows):
        copy_run(x, i * whole + offset, out, i * piece, piece)


@jit(flat=True)
def extreme_of(x: Array, out: Array, sign: int) -> None:
    """The greatest element, or with sign -1 the least; nan where there is one."""
    best = x[0]
    for i in range(x.size):
        if sign * x[i] > sign * best or x[i] != x[i]:  # a nan is taken, and nothing is greater than it
            best = x[i]
    out[0] = best


@jit(flat=True)
def variances_along(
    x: Array, out: Array, before: int, along: int, after: int, first: int, last: int, divisor: float
) -> None:
    """out[b, j] = sum_i (x[b, i, j] - mean)^2 / divisor, for x of shape (before, along, after)."""
    variances(x.reshape((before, along, after)), divisor, out, first, last)


@jit(flat=True)
def variance_backward(
    grad: Array, x: Array, out: Array, before: int, along: int, after: int, first: int, last: int, scale: float
) -> None:
    """out = grad (x - mean) scale, for x of shape (before, along, after): the gradient of `variances_along`."""
    shape = (before, along, after)
    var_backward_loop(x.reshape(shape), grad, scale, out.reshape(shape), first, last)


@jit(flat=True)
def extreme_backward(
    grad: Array, x: Array, top: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    """The gradient of the greatest or least element along, shared between those that equal it."""
    shape = (before, along, after)
    extremum_backward_loop(x.reshape(shape), top, grad, out.reshape(shape), first, last)


@jit(flat=True)
def rows_times(a: Array, x: Array, out: Array, rows: int, depth: int, first: int, last: int) -> None:
    """out = a x, for a range of fours of rows."""
    rows_by_vector(part_of(a, 0, rows * depth).reshape((rows, depth)), part_of(x, 0, depth), out, first, last)


@jit(flat=True)
def columns_times(a: Array, x: Array, out: Array, depth: int, columns: int, first: int, last: int) -> None:
    """out = a^T x, for a range of blocks of columns."""
    matrix = part_of(a, 0, depth * columns).reshape((depth, columns))
    columns_by_vector(matrix, part_of(x, 0, depth), out, first, last)


@jit(flat=True)
def rows_times_plus(
    a: Array, x: Array, shift: Array, out: Array, rows: int, depth: int, step: int, first: int, last: int
) -> None:
    """out = a x + shift, of which there is one for all where `step` is 0."""
    rows_times(a, x, out, rows, depth, first, last)
    for i in range(4 * first, min(4 * last, rows)):  # afterwards, as two ops would add it: the same bits
        out[i] += shift[i * step]


@jit(flat=True)
def columns_times_plus(
    a: Array, x: Array, shift: Array, out: Array, depth: int, columns: int, step: int, first: int, last: int
) -> None:
    """out = a^T x + shift, of which there is one for all where `step` is 0."""
    columns_times(a, x, out, depth, columns, first, last)
    for i in range(WIDTH * first, min(WIDTH * last, columns)):
        out[i] += shift[i * step]
