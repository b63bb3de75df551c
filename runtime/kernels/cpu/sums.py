"""Sums of one row, or of neighbouring columns, of floats; compiled on first use, for each dtype.

Rows go in blocks of 1024 elements: in vector lanes within a block (`reassoc`), in double precision from block to block.
Columns go in blocks of 128, side by side, and again from block to block in double precision. So a sum loses nothing to
its length, and its order depends on the shape alone.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit

REORDER = {"reassoc", "contract", "nsz"}
CHUNK = 1 << 15  # elements of a row that one thread adds
NARROW = 128  # elements of a row that fill the vector lanes
_BLOCK = 1024
_ROWS = 128

Array = np.ndarray


@jit(fastmath=REORDER)
def chunk_sum(row: Array) -> float:
    """sum_i x_i; four blocks at a time, which keeps more of the memory busy."""
    total, k = 0.0, 0
    while k + 4 * _BLOCK <= row.size:
        one, two = row[k : k + _BLOCK], row[k + _BLOCK : k + 2 * _BLOCK]
        three, four = row[k + 2 * _BLOCK : k + 3 * _BLOCK], row[k + 3 * _BLOCK : k + 4 * _BLOCK]
        # Four sums are independent: an addition takes several cycles, in which the other three begin.
        a = b = c = d = row.dtype.type(0)
        for i in range(_BLOCK):
            a += one[i]
            b += two[i]
            c += three[i]
            d += four[i]
        total += (float(a) + float(b)) + (float(c) + float(d))
        k += 4 * _BLOCK
    while k < row.size:
        block = row[k : k + _BLOCK]
        part = row.dtype.type(0)  # in the row's dtype: float64 lanes are half as many
        for i in range(block.size):
            part += block[i]
        total += part
        k += _BLOCK
    return total


@jit
def chunk_sums(row: Array, out: Array, first: int, last: int) -> None:
    """The sums of chunks of a long row, in double precision: the range is one of its elements."""
    for k in range(first, last, CHUNK):
        out[k // CHUNK] = chunk_sum(row[k : min(k + CHUNK, row.size)])


@jit
def sum_of_chunks(sums: Array) -> float:
    """sum_k sums_k in order, whatever threads computed them: the bits do not depend on their number."""
    total = 0.0
    for k in range(sums.size):
        total += sums[k]
    return total


@jit
def plain_sum(row: Array) -> float:
    """sum_i x_i; of a long row chunk by chunk, so that several threads may share it."""
    if row.size <= CHUNK:
        return chunk_sum(row)
    sums = np.empty((row.size + CHUNK - 1) // CHUNK)
    chunk_sums(row, sums, 0, row.size)
    return sum_of_chunks(sums)


@jit(fastmath=REORDER)
def square_sum(row: Array, center: float) -> float:
    """sum_i (x_i - center)^2."""
    total, middle = 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block = row[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += (block[i] - middle) * (block[i] - middle)
        total += part
    return total


@jit
def column_sums(x: Array, start: int, totals: Array) -> None:
    """totals[j] = sum_i x[i, start + j]."""
    totals[:] = 0
    part = np.empty(totals.size, x.dtype)
    stop = start + totals.size
    for k in range(0, x.shape[0], _ROWS):
        part[:] = 0
        last = min(k + _ROWS, x.shape[0])
        fours = k + (last - k) // 4 * 4
        for i in range(k, fours, 4):
            one, two, three, four = x[i, start:stop], x[i + 1, start:stop], x[i + 2, start:stop], x[i + 3, start:stop]
            for j in range(part.size):
                part[j] += (one[j] + two[j]) + (three[j] + four[j])
        for i in range(fours, last):
            row = x[i, start:stop]
            for j in range(part.size):
                part[j] += row[j]
        for j in range(part.size):
            totals[j] += part[j]


@jit
def column_square_sums(x: Array, start: int, centers: Array, totals: Array) -> None:
    """totals[j] = sum_i (x[i, start + j] - centers[j])^2."""
    totals[:] = 0
    part = np.empty(totals.size, x.dtype)
    for k in range(0, x.shape[0], _ROWS):
        part[:] = 0
        for i in range(k, min(k + _ROWS, x.shape[0])):
            row = x[i, start : start + totals.size]
            for j in range(part.size):
                part[j] += (row[j] - centers[j]) * (row[j] - centers[j])
        totals += part


@jit(fastmath=REORDER)
def short_row_sums(x: Array, divisor: float, out: Array) -> None:
    """out[b] = sum_i x[b, i] / divisor for rows of one block: four side by side, for one alone waits for itself."""
    fours = out.size // 4 * 4
    for b in range(0, fours, 4):
        one, two, three, four = x[b], x[b + 1], x[b + 2], x[b + 3]
        s1 = s2 = s3 = s4 = x.dtype.type(0)
        for i in range(x.shape[1]):
            s1 += one[i]
            s2 += two[i]
            s3 += three[i]
            s4 += four[i]
        out[b], out[b + 1], out[b + 2], out[b + 3] = s1 / divisor, s2 / divisor, s3 / divisor, s4 / divisor
    for b in range(fours, out.size):
        row, s1 = x[b], x.dtype.type(0)
        for i in range(row.size):
            s1 += row[i]
        out[b] = s1 / divisor


@jit
def narrow_column_sums(x: Array, start: int, totals: Array) -> None:
    """totals[j] = sum_i x[i, j] for few columns: as many rows as make a wide one are added as if they were one.

    `start` is 0, but no constant, for which numba would compile `column_sums` again.
    """
    after = totals.size
    side = NARROW // after
    rows = x.shape[0] // side
    wide = np.empty(side * after)
    column_sums(x.reshape(-1)[: rows * wide.size].reshape(rows, wide.size), start, wide)
    totals[:] = 0
    for part in range(side):
        for j in range(after):
            totals[j] += wide[part * after + j]
    for i in range(rows * side, x.shape[0]):
        for j in range(after):
            totals[j] += x[i, j]
