"""Loops that count whole numbers; the last two arguments are the range."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of

Array = np.ndarray
TABLES = 2  # of one thread: equal neighbours are counted in different ones, so neither waits for the other


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
