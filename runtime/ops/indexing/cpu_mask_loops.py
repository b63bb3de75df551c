"""Loops over masks: how many elements are true in each block, and the elements, or the places, of those that are.

A mask is bytes, 0 or 1, cut into blocks of `BLOCK` elements. Where a block's first true element goes is known from the
counts of those before it, so blocks need not wait for each other. Whether an element is true is added to a counter and
never branched on; a block ends with its last true element, so nothing is written behind what it has. Counters are
unsigned, so nobody asks whether they count from the end. The last two arguments are the range of blocks.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of

Array = np.ndarray
BLOCK = 4096


@jit
def count_true(mask: Array, counts: Array, first: int, last: int) -> None:
    """counts[b] = the number of true elements in block b."""
    for b in range(first, last):
        row, count = part_of(mask, b * BLOCK, min(BLOCK, mask.size - b * BLOCK)), np.int32(0)
        for i in range(row.size):
            count += np.int32(row[i])
        counts[b] = count


@jit
def compress(x: Array, mask: Array, starts: Array, out: Array, first: int, last: int) -> None:
    """The elements of x where the mask is true, those of block b from out[starts[b]] on."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end:
            out[n] = x[i]
            n += np.uint64(mask[i])
            i += np.uint64(1)


@jit
def expand(x: Array, mask: Array, starts: Array, out: Array, first: int, last: int) -> None:
    """Words of x, one after the other, where the mask is true, and zeros elsewhere: the transpose of `compress`."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end:
            out[i] = x[n] & (np.uint64(0) - np.uint64(mask[i]))  # all bits or none: a choice would become a branch
            n += np.uint64(mask[i])
            i += np.uint64(1)
        rest = np.int64(i)
        zeros = part_of(out, rest, min((b + 1) * BLOCK, mask.size) - rest)
        for j in range(zeros.size):
            zeros[j] = 0


@jit
def true_places(mask: Array, starts: Array, length: int, out: Array, first: int, last: int) -> None:
    """Row n of `out` has the coordinates of the n-th true element; the last dimension has `length` elements."""
    dims = np.uint64(out.shape[1])
    flat, row_length = out.reshape(-1), np.uint64(length)
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]) * dims, np.uint64(starts[b + 1]) * dims
        row, column = i // row_length, i % row_length
        while n < end:
            flat[n] = np.int64(row)
            flat[n + dims - np.uint64(1)] = np.int64(column)  # of one dimension this is all that there is
            n += dims * np.uint64(mask[i])
            i += np.uint64(1)
            column += np.uint64(1)
            ended = column == row_length
            column = np.uint64(0) if ended else column
            row += np.uint64(ended)


@jit
def unravel_rows(places: Array, sizes: Array, first: int, last: int) -> None:
    """The number of a row that stands in places[n, 0] taken apart into the coordinates places[n, :-1].

    `sizes` are those of all dimensions but the last; equal rows follow one another, and are taken apart once.
    """
    dims, seen = sizes.size, np.int64(-1)
    for n in range(first, last):
        row = places[n, 0]
        if row == seen:
            for d in range(dims):
                places[n, d] = places[n - 1, d]
            continue
        seen = row
        for d in range(dims - 1, -1, -1):
            places[n, d] = row % sizes[d]
            row = row // sizes[d]
