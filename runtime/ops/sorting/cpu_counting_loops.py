"""Loops that count numbers; the last two arguments of those that threads share are the range.

Where a loop raises IndexError, the kernel in Python says what is wrong, or counts in another way.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.dtypes.float_keys import min_or_max
from ...kernels.jit import jit
from ...kernels.llvm.addresses import clear, part_of, zero_row

Array = np.ndarray
TABLES = 2  # of one thread: equal neighbours are counted in different ones, so neither waits for the other
BLOCK = 64  # elements of which the parts are found before they are counted


@jit
def count_into(line: Array, low: int, tables: Array, bits: Array, first: int, last: int) -> None:
    """tables[p, j % 2, line[j] - low] += 1 for the elements j of part p, for a range of parts.

    A table has a power of two of places. Of numbers that have no place there all bits but the last ones are dropped;
    bits[p] is what those of part p have in any of them, so who calls learns afterwards whether there were such.
    """
    parts, within = tables.shape[0], np.uint64(tables.shape[2] - 1)
    for p in range(first, last):
        start, stop = line.size * p // parts, line.size * (p + 1) // parts
        row, some = part_of(line, start, stop - start), np.uint64(0)
        one, other = tables[p, 0], tables[p, 1]
        for j in range(row.size // 2):
            a, b = np.uint64(row[2 * j] - low), np.uint64(row[2 * j + 1] - low)
            some |= a | b
            one[a & within] += 1
            other[b & within] += 1
        if row.size % 2:
            a = np.uint64(row[row.size - 1] - low)
            some |= a
            one[a & within] += 1
        bits[p] = some


@jit
def rank_of(line: Array, low: int, ranks: Array, out: Array, first: int, last: int) -> None:
    """out[j] = ranks[line[j] - low]."""
    row, to = part_of(line, first, last - first), part_of(out, first, last - first)
    for j in range(row.size):
        to[j] = ranks[np.uint64(row[j] - low)]


@jit
def range_of(line: Array, result: Array) -> None:
    """The least number of a line, and how many numbers lie between that and the greatest, these included."""
    low = high = np.int64(line[0])
    for i in range(line.size):
        low, high = min(low, np.int64(line[i])), max(high, np.int64(line[i]))
    result[0], result[1] = low, high - low + 1


@jit
def bins_needed(line: Array, result: Array, minlength: int, max_bin: int) -> None:
    """The last of what is found is how many bins there are, at least `minlength`.

    Raises:
        IndexError: a number is negative, or so great that it takes too many.
    """
    range_of(line, result)
    needed = max(result[0] + result[1], minlength)
    if result[0] < 0 or needed > max_bin or result[1] < 1:
        raise IndexError
    result[2] = needed


@jit
def count_from(line: Array, low: int, counts: Array) -> None:
    """counts[k] = how often low + k is in the line; equal neighbours are counted apart, where there are many."""
    clear(counts)
    size, half = counts.size, 0
    if line.size > size:
        half, others = line.size // 2, zero_row(0, size)
        for j in range(half):
            counts[np.uint64(np.int64(line[2 * j]) - low)] += 1
            others[np.uint64(np.int64(line[2 * j + 1]) - low)] += 1
        for k in range(size):
            counts[k] += others[k]
    for j in range(2 * half, line.size):
        counts[np.uint64(np.int64(line[j]) - low)] += 1


@jit
def counts_of_bins(line: Array, counts: Array) -> None:
    """counts[k] = how often k is in the line."""
    count_from(line, 0, counts)


@jit
def even_counts(line: Array, out: Array, lowest: float, highest: float) -> None:
    """How many elements are in each of `out.size` equal parts of a range, or of their own range where that is empty.

    Raises:
        IndexError: an element is not finite, where their own range is asked for.
    """
    kind, bins = line.dtype.type, out.size
    if lowest == highest and line.size:
        lowest, highest = np.float64(min_or_max(line, -1)), np.float64(min_or_max(line, 1))
        if not (highest - highest == 0 and lowest - lowest == 0):
            raise IndexError
    if lowest == highest:
        lowest, highest = lowest - 1.0, highest + 1.0
    low, high, counts, positions = kind(lowest), kind(highest), zero_row(0, bins + 1), zero_row(np.int32(0), BLOCK)
    for begin in range(0, line.size, BLOCK):
        row = part_of(line, begin, min(BLOCK, line.size - begin))
        for i in range(row.size):
            part = (row[i] - low) * kind(bins) / (high - low)
            position = np.int32(part if part < kind(bins) else kind(bins - 1)) if part > 0 else np.int32(0)
            positions[i] = position if row[i] >= low and row[i] <= high else np.int32(bins)
        for i in range(row.size):
            counts[np.uint64(positions[i])] += 1
    for k in range(bins):
        out[k] = counts[k]
