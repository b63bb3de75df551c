"""Loops over masks: how many elements are true in each block, and the elements, or the places, of those that are.

A mask is bytes, 0 or 1, or any numbers, of which those are true that are not 0, cut into blocks of `BLOCK` elements.
Where a block's first true element goes is known from the counts of those before it, so blocks need not wait for each
other. Whether an element is true is added to a counter and never branched on; a block ends with its last true element,
so nothing is written behind what it has, and with the mask, should a thread have changed that since it was counted.
Counters are unsigned, so nobody asks whether they count from the end. The last two arguments are the range of blocks.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import READ, WRITTEN, jit
from ...kernels.llvm.addresses import part_of

Array = np.ndarray
BLOCK = 4096


@jit(halves=READ)
def count_true(mask: Array, starts: Array, first: int, last: int) -> None:
    """starts[b + 1] = the number of true elements in block b; starts[0] = 0."""
    if first == 0:
        starts[0] = 0
    for b in range(first, last):
        row, count = part_of(mask, b * BLOCK, min(BLOCK, mask.size - b * BLOCK)), np.int32(0)
        for i in range(row.size):
            count += np.int32(row[i] != 0)
        starts[b + 1] = count


@jit
def sum_up(starts: Array) -> None:
    """The numbers of all blocks before each, of those of each block."""
    for b in range(1, starts.size):
        starts[b] += starts[b - 1]


@jit(halves=WRITTEN)
def compress(x: Array, mask: Array, starts: Array, out: Array, first: int, last: int) -> None:
    """The elements of x where the mask is true, those of block b from out[starts[b]] on."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end and i < np.uint64(mask.size):
            out[n] = x[i]
            n += np.uint64(mask[i])
            i += np.uint64(1)


@jit(halves=WRITTEN)
def compress_rows(x: Array, mask: Array, starts: Array, out: Array, width: int, first: int, last: int) -> None:
    """The rows of x, of `width` elements, where the mask is true, those of block b from row starts[b] on."""
    for b in range(first, last):
        i, n, end = np.int64(b * BLOCK), starts[b], starts[b + 1]
        while n < end and i < mask.size:
            if mask[i]:
                row, to = part_of(x, i * width, width), part_of(out, n * width, width)
                for k in range(width):
                    to[k] = row[k]
                n += 1
            i += 1


@jit(halves=WRITTEN)
def compress_lines(x: Array, mask: Array, starts: Array, out: Array, width: int, first: int, last: int) -> None:
    """In each of a range of lines the rows of x, of `width` elements, where the mask is true."""
    total = starts[starts.size - 1]
    for b in range(first, last):
        n = np.int64(0)
        for i in range(mask.size):
            if mask[i] and n < total:
                row, to = part_of(x, (b * mask.size + i) * width, width), part_of(out, (b * total + n) * width, width)
                for k in range(width):
                    to[k] = row[k]
                n += 1


@jit
def expand(x: Array, mask: Array, starts: Array, out: Array, first: int, last: int) -> None:
    """Words of x, one after the other, where the mask is true, and zeros elsewhere: the transpose of `compress`."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end and i < np.uint64(mask.size):
            out[i] = x[n] & (np.uint64(0) - np.uint64(mask[i]))  # all bits or none: a choice would become a branch
            n += np.uint64(mask[i])
            i += np.uint64(1)
        rest = np.int64(i)
        zeros = part_of(out, rest, max(min((b + 1) * BLOCK, mask.size) - rest, 0))
        for j in range(zeros.size):
            zeros[j] = 0


@jit(halves=READ)
def true_indices(mask: Array, starts: Array, out: Array, length: int, ndim: int, first: int, last: int) -> None:
    """Row n of `out`, of `ndim` numbers, has the coordinates of the n-th true element: the last of them, and, as the
    first, the number of the row of `length` elements in which it is."""
    dims, row_length = np.uint64(ndim), np.uint64(length)
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]) * dims, np.uint64(starts[b + 1]) * dims
        row, column = i // row_length, i % row_length
        while n < end and i < np.uint64(mask.size):
            out[n] = np.int64(row)
            out[n + dims - np.uint64(1)] = np.int64(column)  # of one dimension this is all that there is
            n += dims * np.uint64(mask[i] != 0)
            i += np.uint64(1)
            column += np.uint64(1)
            ended = column == row_length
            column = np.uint64(0) if ended else column
            row += np.uint64(ended)


@jit
def unravel_rows(sizes: Array, positions: Array, first: int, last: int) -> None:
    """The number of a row that stands first in the n-th coordinates taken apart into all of them but the last.

    `sizes` are those of all dimensions but the last; equal rows follow one another, and are taken apart once.
    """
    dims, seen = sizes.size, np.int64(-1)
    for n in range(first, last):
        to = part_of(positions, n * (dims + 1), dims)
        row = to[0]
        if row == seen:
            before = part_of(positions, (n - 1) * (dims + 1), dims)
            for d in range(dims):
                to[d] = before[d]
            continue
        seen = row
        for d in range(dims - 1, -1, -1):
            to[d] = row % sizes[d]
            row = row // sizes[d]


@jit
def unravel_all(positions: Array, sizes: Array) -> None:
    """`unravel_rows` for all coordinates."""
    unravel_rows(sizes, positions, 0, positions.size // (sizes.size + 1))


@jit
def order_true(mask: Array, out: Array, size: int, available: int, first: int, last: int) -> None:
    """out[o, i] = how many elements are true before one that is, 0 for the others, for a range of lines.

    Raises:
        IndexError: of one line more than `available` are true.
    """
    for o in range(first, last):
        row, to, count = part_of(mask, o * size, size), part_of(out, o * size, size), np.int64(0)
        for i in range(size):
            chosen = np.int64(row[i])
            to[i] = count * chosen
            count += chosen
        if count > available:
            raise IndexError
