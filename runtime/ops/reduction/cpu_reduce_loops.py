"""Sums, variances and products of float arrays (before, along, after) in one loop each.

Results are counted through (before, after): the loops that threads share take the first that they are to fill, a
multiple of `unit_of`, and that after the last.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.sums import (
    NARROW,
    column_square_sums,
    column_sums,
    narrow_column_sums,
    plain_sum,
    short_row_sums,
    square_sum,
)
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of

COLUMNS = 1024  # side by side are worth a thread's while
_WIDTH = 4096  # columns that are added side by side
_SHORT = 512  # elements of rows that are added several at a time

Array = np.ndarray


@jit
def row_sums(x: Array, along: int, divisor: float, out: Array, first: int, last: int) -> None:
    """The sums of rows, over `divisor`."""
    rows, to = part_of(x, first * along, (last - first) * along), part_of(out, first, last - first)
    if along == 1:
        for i in range(to.size):
            to[i] = rows[i] / divisor
    elif along <= _SHORT:
        short_row_sums(rows.reshape((to.size, along)), divisor, to)
    else:
        for b in range(to.size):
            to[b] = plain_sum(part_of(rows, b * along, along)) / divisor


@jit
def grouped_column_sums(x: Array, divisor: float, out: Array, first: int, last: int) -> None:
    """The sums along, over `divisor`, where something comes after."""
    along, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start = k // after, k % after
        totals = np.empty(min(_WIDTH, after - start, last - k))
        if totals.size == after and 2 * after <= NARROW <= along:
            narrow_column_sums(x[b], start, totals)
        else:
            column_sums(x[b], start, totals)
        for j in range(totals.size):
            out[k + j] = totals[j] / divisor
        k += totals.size


@jit
def sums(x: Array, divisor: float, out: Array, first: int, last: int) -> None:
    """The sums along, over `divisor`."""
    along, after = x.shape[1:]
    if along == 1 or after == 1:
        row_sums(x.reshape(-1), along, divisor, out, first, last)
    else:
        grouped_column_sums(x, divisor, out, first, last)


@jit
def square_sums(x: Array, centers: Array, out: Array, first: int, last: int) -> None:
    """The sums along of (x - center)^2; no centers stand for zeros."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start = k // after, k % after
        if after == 1:
            out[k] = square_sum(part_of(x, k * count, count), centers[k] if centers.size else 0.0)
            k += 1
            continue
        totals = np.empty(min(_WIDTH, after - start, last - k))
        here = slice(k, k + totals.size)
        column_square_sums(x[b], start, centers[here] if centers.size else np.zeros(totals.size, x.dtype), totals)
        out[here] = totals
        k += totals.size


@jit
def variances(x: Array, divisor: float, out: Array, first: int, last: int) -> None:
    """The sums along of (x - mean)^2, over `divisor`."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start = k // after, k % after
        if after == 1:
            row = part_of(x, k * count, count)
            mean = plain_sum(row) / count
            center = float(x.dtype.type(mean))
            total = square_sum(row, center) - count * (mean - center) * (mean - center)
            out[k] = max(total, 0.0) / divisor if total == total else total
            k += 1
            continue
        totals = np.empty(min(_WIDTH, after - start, last - k))
        column_sums(x[b], start, totals)
        means = totals / count
        centers = means.astype(x.dtype)
        column_square_sums(x[b], start, centers, totals)
        off = means - centers
        out[k : k + totals.size] = np.maximum(totals - count * off * off, 0.0) / divisor
        k += totals.size


def unit_of(along: int, after: int) -> int:
    """Results at multiples of this number do not depend on where a range of them begins or ends."""
    if after == 1:
        return 4  # short rows go side by side
    return after if 2 * after <= NARROW <= along else 64


@jit(fastmath={"reassoc", "nsz"})
def plain_product(row: Array) -> float:
    """prod_i x_i, in double precision."""
    total = 1.0
    for i in range(row.size):
        total *= row[i]
    return total


@jit(fastmath={"reassoc", "nsz"})
def products(x: Array, out: Array) -> None:
    """The products along, in double precision; of short rows four side by side, for one alone waits for itself."""
    before, along, after = x.shape
    if after != 1:  # 0 as well: then there is no room for products of nothing
        totals = np.empty(after)
        for b in range(before):
            totals[:] = 1
            for i in range(along):
                row = x[b, i]
                for j in range(after):
                    totals[j] *= row[j]
            out[b * after : (b + 1) * after] = totals
        return
    table, fours = x.reshape(before, along), before // 4 * 4
    for b in range(0, fours, 4):
        one, two, three, four = table[b], table[b + 1], table[b + 2], table[b + 3]
        p1 = p2 = p3 = p4 = 1.0
        for i in range(along):
            p1 *= one[i]
            p2 *= two[i]
            p3 *= three[i]
            p4 *= four[i]
        out[b], out[b + 1], out[b + 2], out[b + 3] = p1, p2, p3, p4
    for b in range(fours, before):
        row, p1 = table[b], 1.0
        for i in range(along):
            p1 *= row[i]
        out[b] = p1
