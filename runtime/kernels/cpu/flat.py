"""Structured kernels on flat memory, as recipes call them: operands, results, then ints, then numbers.

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
    """The sums of chunks, each of float64."""
    chunk_sums(x, row_at(0.0, address(totals), (x.size + CHUNK - 1) // CHUNK), first, last)


@jit(flat=True)
def total_of_chunks(totals: Array, out: Array, count: int, divisor: float) -> None:
    """The sum of all of them, divided."""
    out[0] = sum_of_chunks(row_at(0.0, address(totals), count)) / divisor


@jit(flat=True)
def added_rows(x: Array, out: Array, along: int, first: int, last: int, divisor: float) -> None:
    """Sums of rows, divided."""
    row_sums(x, along, divisor, out, first, last)


@jit(flat=True)
def added_columns(
    x: Array, out: Array, before: int, along: int, after: int, first: int, last: int, divisor: float
) -> None:
    """Sums along, divided, where something comes after."""
    grouped_column_sums(x.reshape((before, along, after)), divisor, out, first, last)


@jit(flat=True)
def spread(grad: Array, out: Array, before: int, along: int, after: int, first: int, last: int, divisor: float) -> None:
    """Each gradient, divided, along."""
    broadcast_divided(grad, divisor, out.reshape((before, along, after)), first, last)


@jit(flat=True)
def times(
    a: Array,
    b: Array,
    out: Array,
    rows: int,
    depth: int,
    columns: int,
    across_a: int,
    across_b: int,
    add: int,
    first: int,
    last: int,
) -> None:
    """out = a b, or out + a b, of which each may lie across."""
    left = part_of(a, 0, rows * depth).reshape((depth, rows) if across_a else (rows, depth))
    right = part_of(b, 0, depth * columns).reshape((columns, depth) if across_b else (depth, columns))
    multiply_rows(left, right, out.reshape((rows, columns)), across_a != 0, across_b != 0, add != 0, first, last)


@jit(flat=True)
def copy_run(x: Array, start: int, out: Array, place: int, count: int) -> None:
    """`count` elements of x from `start` on to `place` of out."""
    row, to = part_of(x, start, count), part_of(out, place, count)
    for i in range(count):
        to[i] = row[i]


@jit(flat=True)
def repeated(row: Array, out: Array, rows: int, columns: int) -> None:
    """out = the row, in each row."""
    for i in range(rows):
        copy_run(row, 0, out, i * columns, columns)


@jit(flat=True)
def row_added(row: Array, out: Array, rows: int, columns: int) -> None:
    """out + the row, in each row."""
    for i in range(rows):
        line = part_of(out, i * columns, columns)
        for j in range(columns):
            line[j] += row[j]


@jit(flat=True)
def gathered(x: Array, out: Array, n0: int, n1: int, n2: int, s0: int, s1: int, s2: int) -> None:
    """out = x, read at these steps."""
    place = 0
    for i in range(n0):
        for j in range(n1):
            start, to = i * s0 + j * s1, part_of(out, place, n2)
            if s2 == 1:
                copy_run(x, start, out, place, n2)
            else:
                for k in range(n2):
                    to[k] = x[start + k * s2]
            place += n2


@jit(flat=True)
def embedded(x: Array, out: Array, before: int, size: int, after: int, start: int, step: int, count: int) -> None:
    """Zeros with x at `count` of `size` places."""
    out[:] = 0
    for b in range(before):
        for i in range(count):
            copy_run(x, (b * count + i) * after, out, (b * size + start + i * step) * after, after)


@jit(flat=True)
def rows_found(x: Array, places: Array, out: Array, rows: int, width: int, count: int, first: int, last: int) -> None:
    """out[i] = x[places[i]]; raises for a place outside, whereupon the kernel says so in words."""
    wrong = np.zeros(1, np.int64)
    table, to = part_of(x, 0, rows * width).reshape((rows, width)), out.reshape((count, width))
    take_rows(table, places, 0, to, wrong, first, last)
    if wrong[0]:
        raise IndexError


@jit(flat=True)
def put_two(x: Array, y: Array, out: Array, one: int, other: int, first: int, last: int) -> None:
    """Rows of x and of y side by side: what is written lies together, which large arrays feel."""
    for i in range(first, last):
        place = i * (one + other)
        copy_run(x, i * one, out, place, one)
        copy_run(y, i * other, out, place + one, other)


@jit(flat=True)
def put_piece(x: Array, out: Array, rows: int, piece: int, whole: int, offset: int) -> None:
    """Rows of x as pieces of the longer rows of out."""
    for i in range(rows):
        copy_run(x, i * piece, out, i * whole + offset, piece)


@jit(flat=True)
def take_piece(x: Array, out: Array, rows: int, piece: int, whole: int, offset: int) -> None:
    """The pieces of rows of x as the shorter rows of out."""
    for i in range(rows):
        copy_run(x, i * whole + offset, out, i * piece, piece)


@jit(flat=True)
def extreme_of(x: Array, out: Array, sign: int) -> None:
    """The greatest element, or with sign -1 the least; nan where there is one."""
    best = x[0]
    for i in range(x.size):
        if sign * x[i] > sign * best or x[i] != x[i]:
            best = x[i]
    out[0] = best


@jit(flat=True)
def variances_along(
    x: Array, out: Array, before: int, along: int, after: int, first: int, last: int, divisor: float
) -> None:
    """Variances along."""
    variances(x.reshape((before, along, after)), divisor, out, first, last)


@jit(flat=True)
def variance_slopes(
    grad: Array, x: Array, out: Array, before: int, along: int, after: int, first: int, last: int, scale: float
) -> None:
    """The gradient of variances along."""
    shape = (before, along, after)
    var_backward_loop(x.reshape(shape), grad, scale, out.reshape(shape), first, last)


@jit(flat=True)
def extreme_slopes(
    grad: Array, x: Array, top: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    """The gradient of the greatest, or least, along, shared between equals."""
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
    for i in range(4 * first, min(4 * last, rows)):
        out[i] += shift[i * step]


@jit(flat=True)
def columns_times_plus(
    a: Array, x: Array, shift: Array, out: Array, depth: int, columns: int, step: int, first: int, last: int
) -> None:
    """out = a^T x + shift, of which there is one for all where `step` is 0."""
    columns_times(a, x, out, depth, columns, first, last)
    for i in range(WIDTH * first, min(WIDTH * last, columns)):
        out[i] += shift[i * step]
