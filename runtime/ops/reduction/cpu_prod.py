"""Products of the elements of float arrays (before, along, after); compiled on first use, for each dtype."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray


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
