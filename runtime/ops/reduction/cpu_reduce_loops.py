"""Sums, products and extremes of contiguous floats in one loop each, as plans call them.

Operands are seen as (before, along, after): x[b, i, j] lies at (b // times) outer + (b % times) between + i apart + j.
Results are counted through (before, after): the last two arguments of a loop are the range of results that it fills,
from a multiple of `unit_of` on.
"""

import math

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.index_select import min_or_max
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import (
    CHUNK,
    FOUR_BLOCKS,
    NARROW,
    are_finite,
    blocks_sum,
    chunk_sums,
    column_square_sums,
    column_sums,
    fill,
    narrow_column_sums,
    plain_sum,
    scaled_sum,
    short_row_sums,
    short_square_sums,
    square_sum,
    sum_of_chunks,
)
from ...kernels.llvm.addresses import address, clear, empty_row, offset_of, part_of, row_at
from ...kernels.llvm.float16_rows import buffer_for, reading
from ...kernels.llvm.reduce import product_of
from ...kernels.scalar import pow_number

COLUMNS = 1024  # side by side are worth a thread's while
_WIDTH = 4096  # columns that are added side by side
_SHORT = 512  # elements of rows that are added several at a time


def unit_of(along: int, after: int) -> int:
    """Results at multiples of this number do not depend on where a range of them begins or ends."""
    if after == 1:
        return 4  # short rows go side by side
    return after if 2 * after <= NARROW <= along else 64


@jit(halves=WRITTEN)
def total(x: Array, out: Array) -> None:
    out[0] = plain_sum(x)


@jit(halves=WRITTEN)
def totals_of_chunks(x: Array, totals: Array, first: int, last: int) -> None:
    chunk_sums(x, row_at(0.0, address(totals), (x.size + CHUNK - 1) // CHUNK), first, last)


@jit(halves=WRITTEN)
def total_of_chunks(totals: Array, out: Array, divisor: float, count: int) -> None:
    out[0] = sum_of_chunks(row_at(0.0, address(totals), count)) / divisor


@jit(halves=WRITTEN)
def finish_sum(x: Array, out: Array, divisor: float) -> None:
    if not abs(out[0]) < math.inf:
        out[0] = scaled_sum(x, 0, x.size, 1, divisor)


@jit(halves=WRITTEN)
def row_sums(
    x: Array, out: Array, divisor: float, along: int, between: int, times: int, outer: int, first: int, last: int
) -> None:
    if along == 1 == between and last <= times:
        rows, to = part_of(x, first, last - first), part_of(out, first, last - first)
        for i in range(to.size):
            to[i] = rows[i] / divisor
    elif along <= _SHORT and between == along and last <= times:
        tile_rows = 4 * max(1, _SHORT // along)  # rows that follow each other are widened many at a time
        row_buffer = buffer_for(x, tile_rows * along)
        for b in range(first, last, tile_rows):
            some = min(tile_rows, last - b)
            rows = reading(x, b * along, some * along, row_buffer)
            short_row_sums(rows, along, along, some, 0, 0, some, divisor, part_of(out, b, some))
    elif along <= _SHORT:
        short_row_sums(x, along, between, times, outer, first, last, divisor, out)
    elif along < FOUR_BLOCKS:
        for b in range(first, last):  # as `plain_sum` has them, without a call for each row
            out[b] = blocks_sum(part_of(x, offset_of(b, between, times, outer), along), 0, 0.0) / divisor
    else:
        for b in range(first, last):
            out[b] = plain_sum(part_of(x, offset_of(b, between, times, outer), along)) / divisor
    if not are_finite(part_of(out, first, last - first)):
        for b in range(first, last):
            if not abs(out[b]) < math.inf:
                out[b] = scaled_sum(x, offset_of(b, between, times, outer), along, 1, divisor)


@jit
def write_divided(totals: Array, divisor: float, out: Array) -> None:
    """out = totals / divisor; a division of float64 takes longer than reading a column."""
    if divisor == 1:
        for j in range(totals.size):
            out[j] = totals[j]
    else:
        for j in range(totals.size):
            out[j] = totals[j] / divisor


@jit(halves=WRITTEN)
def grouped_column_sums(
    x: Array, out: Array, divisor: float, along: int, after: int, stride: int, between: int, times: int, outer: int,
    first: int, last: int,
) -> None:  # fmt: skip
    k = first
    while k < last:
        start, totals = k % after, empty_row(0.0, min(_WIDTH, after - k % after, last - k))
        at = offset_of(k // after, between, times, outer) + start
        # Of few columns what lies between rows is added as well.
        if totals.size == after <= stride <= 16 * after and 2 * stride <= NARROW <= along:
            narrow_column_sums(x, along, stride, at, totals)
        else:
            column_sums(x, along, stride, at, totals)
        write_divided(totals, divisor, part_of(out, k, totals.size))
        if not are_finite(part_of(out, k, totals.size)):
            for j in range(totals.size):
                if not abs(out[k + j]) < math.inf:
                    out[k + j] = scaled_sum(x, at + j, along, stride, divisor)
        k += totals.size


@jit
def square_sums(
    x: Array, out: Array, along: int, after: int, stride: int, between: int, times: int, outer: int, first: int,
    last: int,
) -> None:  # fmt: skip
    if after == 1 == stride and along <= _SHORT:
        short_square_sums(x, along, between, times, outer, first, last, out)
        return
    k = first
    while k < last:
        start = k % after
        at = offset_of(k // after, between, times, outer) + start
        if after == 1 == stride:
            out[k] = square_sum(part_of(x, at, along), 0.0)
            k += 1
            continue
        totals = empty_row(0.0, min(_WIDTH, after - start, last - k))
        centers = empty_row(x.dtype.type(0), totals.size)
        clear(centers)
        column_square_sums(x, along, stride, at, centers, totals)
        for j in range(totals.size):
            out[k + j] = totals[j]
        k += totals.size


@jit
def squares_of_chunks(x: Array, totals: Array, first: int, last: int) -> None:
    made = row_at(0.0, address(totals), (x.size + CHUNK - 1) // CHUNK)
    for k in range(first, last, CHUNK):
        made[k // CHUNK] = square_sum(part_of(x, k, min(CHUNK, x.size - k)), 0.0)


@jit
def sizes(x: Array, out: Array, first: int, last: int) -> None:
    """Counted from 0 here and below: where an index may be negative, Numba tests it, and LLVM makes no vectors."""
    value, to = part_of(x, first, last - first), part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = abs(value[i])


@jit
def not_zero(x: Array, out: Array, first: int, last: int) -> None:
    value, to = part_of(x, first, last - first), part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = value[i] != 0


@jit
def size_powers(x: Array, out: Array, p: float, first: int, last: int) -> None:
    exponent = x.dtype.type(p)
    value, to = part_of(x, first, last - first), part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = pow_number(abs(value[i]), exponent)


@jit
def minmax_of_rows(
    x: Array, out: Array, sign: int, along: int, between: int, times: int, outer: int, first: int, last: int
) -> None:
    for b in range(first, last):
        out[b] = min_or_max(part_of(x, offset_of(b, between, times, outer), along), sign)


@jit
def minmax_of_chunks(x: Array, out: Array, sign: int, first: int, last: int) -> None:
    for k in range(first, last, CHUNK):
        out[k // CHUNK] = min_or_max(part_of(x, k, min(CHUNK, x.size - k)), sign)


REORDER = {"reassoc", "nsz"}


@jit(fastmath=REORDER)
def products_of_rows(
    x: Array, out: Array, along: int, between: int, times: int, outer: int, first: int, last: int
) -> None:
    """out[b] = prod_i x[b, i], in double precision; four rows side by side, for one alone waits for itself."""
    fours = first + (last - first) // 4 * 4
    for b in range(first, fours, 4):
        one = part_of(x, offset_of(b, between, times, outer), along)
        two = part_of(x, offset_of(b + 1, between, times, outer), along)
        three = part_of(x, offset_of(b + 2, between, times, outer), along)
        four = part_of(x, offset_of(b + 3, between, times, outer), along)
        p1 = p2 = p3 = p4 = 1.0
        for i in range(along):
            p1 *= one[i]
            p2 *= two[i]
            p3 *= three[i]
            p4 *= four[i]
        out[b], out[b + 1], out[b + 2], out[b + 3] = p1, p2, p3, p4
    for b in range(fours, last):
        out[b] = product_of(part_of(x, offset_of(b, between, times, outer), along))


@jit
def column_products(
    x: Array, out: Array, along: int, after: int, stride: int, between: int, times: int, outer: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """out[b, j] = prod_i x[b, i, j], in double precision, where something comes after."""
    k = first
    while k < last:
        totals = empty_row(0.0, min(_WIDTH, after - k % after, last - k))
        at = offset_of(k // after, between, times, outer) + k % after
        fill(totals, 1.0)
        fours = along // 4 * 4
        for i in range(0, fours, 4):  # so that products are read and written once for four rows
            here = at + i * stride
            one, two = part_of(x, here, totals.size), part_of(x, here + stride, totals.size)
            three, four = part_of(x, here + 2 * stride, totals.size), part_of(x, here + 3 * stride, totals.size)
            for j in range(totals.size):
                totals[j] = totals[j] * one[j] * two[j] * three[j] * four[j]
        for i in range(fours, along):
            row = part_of(x, at + i * stride, totals.size)
            for j in range(totals.size):
                totals[j] *= row[j]
        copy_row(totals, part_of(out, k, totals.size))
        k += totals.size


@jit
def products_of_chunks(x: Array, products: Array, first: int, last: int) -> None:
    made = row_at(1.0, address(products), (x.size + CHUNK - 1) // CHUNK)
    for k in range(first, last, CHUNK):
        made[k // CHUNK] = product_of(part_of(x, k, min(CHUNK, x.size - k)))


@jit
def product_of_chunks(products: Array, out: Array, count: int) -> None:
    out[0] = product_of(row_at(1.0, address(products), count))
