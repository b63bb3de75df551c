"""Sums of rows, or of neighbouring columns, of floats. Rows go in blocks of 1024 elements: in vector lanes within one,
in double precision from one to the next; columns in blocks of 128. So the order depends on the shape alone."""

import math

import numpy as np

from ...compiler.jit import jit
from ..llvm.addresses import clear, empty_row, offset_of, part_of
from ..llvm.reduce import squares_of_blocks, squares_of_tail, sum_of_blocks, sum_of_tail

# Into vector lanes, in an order that is fixed when the loop is compiled. No loop that adds writes as well: LLVM would
# compile it twice, and which one runs would depend on where the arrays happen to lie.
REORDER = {"reassoc", "contract", "nsz"}
CHUNK = 1 << 15  # elements of a row that one thread adds
NARROW = 128  # elements of a row that fill the vector lanes
_BLOCK = 1024
FOUR_BLOCKS = 4 * _BLOCK
_ROWS = 128

Array = np.ndarray


@jit
def chunk_sum(row: Array) -> float:
    """sum_i x_i; four blocks at a time, which keeps more of the memory busy."""
    total, k = 0.0, 0
    while k + FOUR_BLOCKS <= row.size:
        total += sum_of_blocks(row, k)
        k += FOUR_BLOCKS
    total = blocks_sum(row, k, total)
    return total if abs(total) < math.inf else scaled_sum(row, 0, row.size, 1, 1.0)


@jit
def blocks_sum(row: Array, k: int, total: float) -> float:
    while k < row.size:
        total += sum_of_tail(row, k, min(_BLOCK, row.size - k))
        k += _BLOCK
    return total


@jit
def chunk_sums(row: Array, out: Array, first: int, last: int) -> None:
    for k in range(first, last, CHUNK):
        out[k // CHUNK] = chunk_sum(part_of(row, k, min(CHUNK, row.size - k)))


@jit
def sum_of_chunks(sums: Array) -> float:
    """sum_k sums_k in order, whatever threads computed them: the bits do not depend on their number."""
    total = 0.0
    for k in range(sums.size):
        total += sums[k]
    return total


@jit
def plain_sum(row: Array) -> float:
    total = blocks_sum(row, 0, 0.0) if row.size < FOUR_BLOCKS else long_sum(row)
    return total if abs(total) < math.inf else scaled_sum(row, 0, row.size, 1, 1.0)


@jit
def max_size(x: Array, start: int, along: int, stride: int) -> float:
    """max_i |x_i|; nan where one is."""
    result = 0.0
    for i in range(along):
        size = abs(float(x[start + i * stride]))
        if size != size:
            return size
        result = max(result, size)
    return result


@jit
def scaled_sum(x: Array, start: int, along: int, stride: int, divisor: float) -> float:
    """sum_i x_i / divisor, in double precision, of elements over the largest: finite where the result is."""
    total, top = 0.0, max_size(x, start, along, stride)
    if not 0 < top < math.inf:
        top = 1.0
    for i in range(along):
        total += float(x[start + i * stride]) / top
    return total / divisor * top


@jit
def are_finite(row: Array) -> bool:
    """Without a branch, in integers of the size of float32, so that LLVM makes vectors."""
    outside, top = np.int32(0), row.dtype.type(math.inf)
    for i in range(row.size):
        outside |= np.int32(not abs(row[i]) < top)
    return outside == 0


@jit
def long_sum(row: Array) -> float:
    """sum_i x_i; of a very long row chunk by chunk, so that several threads may share it."""
    if row.size <= CHUNK:
        return chunk_sum(row)
    sums = empty_row(0.0, (row.size + CHUNK - 1) // CHUNK)
    chunk_sums(row, sums, 0, row.size)
    return sum_of_chunks(sums)


@jit
def square_sum(row: Array, center: float) -> float:
    total, k = 0.0, 0
    while k + FOUR_BLOCKS <= row.size:
        total += squares_of_blocks(row, k, center)
        k += FOUR_BLOCKS
    while k < row.size:
        total += squares_of_tail(row, k, min(_BLOCK, row.size - k), center)
        k += _BLOCK
    return total


@jit
def fill(row: Array, value: float) -> None:
    for i in range(row.size):
        row[i] = value


@jit
def column_sums(x: Array, rows: int, stride: int, start: int, totals: Array) -> None:
    count = totals.size
    part = empty_row(x.dtype.type(0), count)
    clear(totals)
    for k in range(0, rows, _ROWS):
        clear(part)
        last = min(k + _ROWS, rows)
        fours = k + (last - k) // 4 * 4
        for i in range(k, fours, 4):
            at = i * stride + start
            one, two = part_of(x, at, count), part_of(x, at + stride, count)
            three, four = part_of(x, at + 2 * stride, count), part_of(x, at + 3 * stride, count)
            for j in range(part.size):
                part[j] += (one[j] + two[j]) + (three[j] + four[j])
        for i in range(fours, last):
            row = part_of(x, i * stride + start, count)
            for j in range(part.size):
                part[j] += row[j]
        for j in range(part.size):
            totals[j] += part[j]


@jit
def column_square_sums(x: Array, rows: int, stride: int, start: int, centers: Array, totals: Array) -> None:
    count = totals.size
    part = empty_row(x.dtype.type(0), count)
    clear(totals)
    for k in range(0, rows, _ROWS):
        clear(part)
        for i in range(k, min(k + _ROWS, rows)):
            row = part_of(x, i * stride + start, count)
            for j in range(part.size):
                part[j] += (row[j] - centers[j]) * (row[j] - centers[j])
        for j in range(part.size):
            totals[j] += part[j]


@jit(fastmath=REORDER)
def short_row_sums(
    x: Array, along: int, between: int, times: int, outer: int, first: int, last: int, divisor: float, out: Array
) -> None:
    """out[b] = sum_i x[b, i] / divisor for rows of one block: four side by side, for one alone waits for itself."""
    fours = first + (last - first) // 4 * 4
    for b in range(first, fours, 4):
        one = part_of(x, offset_of(b, between, times, outer), along)
        two = part_of(x, offset_of(b + 1, between, times, outer), along)
        three = part_of(x, offset_of(b + 2, between, times, outer), along)
        four = part_of(x, offset_of(b + 3, between, times, outer), along)
        s1 = s2 = s3 = s4 = x.dtype.type(0)
        for i in range(along):
            s1 += one[i]
            s2 += two[i]
            s3 += three[i]
            s4 += four[i]
        out[b], out[b + 1], out[b + 2], out[b + 3] = s1 / divisor, s2 / divisor, s3 / divisor, s4 / divisor
    for b in range(fours, last):
        row, s1 = part_of(x, offset_of(b, between, times, outer), along), x.dtype.type(0)
        for i in range(row.size):
            s1 += row[i]
        out[b] = s1 / divisor


@jit(fastmath=REORDER)
def short_square_sums(
    x: Array, along: int, between: int, times: int, outer: int, first: int, last: int, out: Array
) -> None:
    fours = first + (last - first) // 4 * 4
    for b in range(first, fours, 4):
        one = part_of(x, offset_of(b, between, times, outer), along)
        two = part_of(x, offset_of(b + 1, between, times, outer), along)
        three = part_of(x, offset_of(b + 2, between, times, outer), along)
        four = part_of(x, offset_of(b + 3, between, times, outer), along)
        s1 = s2 = s3 = s4 = x.dtype.type(0)
        for i in range(along):
            s1 += one[i] * one[i]
            s2 += two[i] * two[i]
            s3 += three[i] * three[i]
            s4 += four[i] * four[i]
        out[b], out[b + 1], out[b + 2], out[b + 3] = s1, s2, s3, s4
    for b in range(fours, last):
        row, s1 = part_of(x, offset_of(b, between, times, outer), along), x.dtype.type(0)
        for i in range(row.size):
            s1 += row[i] * row[i]
        out[b] = s1


@jit
def narrow_column_sums(x: Array, rows: int, stride: int, start: int, totals: Array) -> None:
    """totals[j] = sum_i x[start + i apart + j] for few columns: as many rows as make a wide one are one."""
    after, side = totals.size, NARROW // stride
    groups, count = (rows if stride == after else rows - 1) // side, side * stride
    wide = empty_row(0.0, count)
    column_sums(x, groups, count, start, wide)
    clear(totals)
    for part in range(side):
        for j in range(after):
            totals[j] += wide[part * stride + j]
    for i in range(groups * side, rows):
        for j in range(after):
            totals[j] += x[start + i * stride + j]
