"""Sums of exponentials along (before, along, after), columns side by side: for logsumexp."""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row, exponential_sum
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.reduce import range_of
from ...kernels.scalar import exp, log

_BLOCK = 256
_ROWS = 256  # that are added one after the other before their sums are added up, in float64
Array = np.ndarray


@jit
def tops_of(x: Array, start: int, tops: Array) -> None:
    """The greatest of each of the columns from `start` on; what is nan may be passed over."""
    copy_row(x[0, start : start + tops.size], tops)
    for i in range(1, x.shape[0]):
        row = x[i, start : start + tops.size]
        for j in range(tops.size):
            tops[j] = row[j] if row[j] > tops[j] else tops[j]


@jit
def stop_of(after: int, line: int, last: int) -> int:
    start = line % after
    return min(after, start + _BLOCK, start + last - line)


@jit
def collect(part: Array, totals: Array, row: int) -> None:
    """Add up the sums of some rows after every _ROWS of them, so that a sum loses nothing to its length."""
    if row % _ROWS == 0:
        for j in range(totals.size):
            totals[j] += part[j]
            part[j] = 0


@jit
def add_exponentials(x: Array, start: int, tops: Array, sums: Array) -> None:
    totals = np.zeros(sums.size)
    for i in range(x.shape[0]):
        row = x[i, start : start + sums.size]
        for j in range(sums.size):
            sums[j] += exp(row[j] - tops[j])
        collect(sums, totals, i)
    for j in range(sums.size):
        sums[j] += totals[j]


@jit
def log_totals(x: Array, result: Array, before: int, along: int, after: int, first: int, last: int) -> None:
    """log(sum(exp(x))) along (before, along, after), shifted by the greatest element where that is finite."""
    table, line = x.reshape((before, along, after)), first
    while line < last:
        b, start, stop = line // after, line % after, stop_of(after, line, last)
        if after == 1:
            row = part_of(x, line * along, along)
            low, top = range_of(row)
            if abs(top) == np.inf:
                low, top = x.dtype.type(-np.inf), x.dtype.type(0)
            result[line] = log(exponential_sum(row, low, top)) + top
            line += 1
            continue
        tops, part = np.empty(stop - start, x.dtype), np.zeros(stop - start, x.dtype)
        tops_of(table[b], start, tops)
        for j in range(tops.size):
            tops[j] = tops[j] if abs(tops[j]) < np.inf else 0
        add_exponentials(table[b], start, tops, part)
        out = result[line : line + stop - start]
        for j in range(out.size):
            out[j] = log(part[j]) + tops[j]
        line += stop - start
