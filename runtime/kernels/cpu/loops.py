"""Loops over contiguous arrays that NumPy has no fast call for; compiled on first use, for each dtype.

An array is seen as (before, along, after). Each loop takes the first line along that is its to do, and that after the
last; lines are counted through (before, after).
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..llvm.addresses import part_of

Array = np.ndarray


@jit
def lines_of(after: int, first: int, last: int) -> int:
    """How many lines from `first` on lie side by side."""
    return min(after - first % after, last - first)


@jit
def column_extremes(a: Array, greatest: bool, values: Array, places: Array, first: int, last: int) -> None:
    """The greatest (or least) of a[o, :, j] and where it first is; the first nan, where there is one."""
    after, line = a.shape[2], first
    while line < last:
        o, start, stop = line // after, line % after, line % after + lines_of(after, line, last)
        best, at = values[o, start:stop], places[o, start:stop]
        best[:], at[:] = a[o, 0, start:stop], 0
        for i in range(1, a.shape[1]):
            row = a[o, i, start:stop]
            for j in range(best.size):
                better = row[j] > best[j] if greatest else row[j] < best[j]
                taken = better or (row[j] != row[j] and best[j] == best[j])
                best[j] = row[j] if taken else best[j]
                at[j] = i if taken else at[j]
        line += stop - start


@jit
def row_extremes(a: Array, greatest: bool, values: Array, places: Array, first: int, last: int) -> None:
    """The same of each row a[o, :]."""
    for o in range(first, last):
        row = part_of(a, o * a.shape[1], a.shape[1])
        best, at = row[0], 0
        for i in range(1, row.size):
            better = row[i] > best if greatest else row[i] < best
            taken = better or (row[i] != row[i] and best == best)
            best = row[i] if taken else best
            at = i if taken else at
        values[o], places[o] = best, at


@jit
def add_rows(out: Array, places: Array, values: Array, first: int, last: int) -> None:
    """out[places[i], :] += values[i, :], in the order of i, for a range of columns."""
    for i in range(places.size):
        target, source = out[places[i], first:last], values[i, first:last]
        for j in range(target.size):
            target[j] += source[j]


@jit
def gather_along(a: Array, places: Array, out: Array, wrong: Array, first: int, last: int) -> None:
    """out[o, i, j] = a[o, places[o, i, j], j] for rows (o, i); notes in `wrong` where a place is outside."""
    size, count, after, k = a.shape[1], places.shape[1], places.shape[2], first
    while k < last:
        o, i, rows = k // count, k % count, 1
        if after == 1:
            rows = min(count - i, last - k)
            row, at, line = part_of(a, o * size, size), part_of(places, k, rows), part_of(out, k, rows)
            for j in range(at.size):
                place = at[j]
                if place < 0 or place >= size:
                    wrong[0] = 1
                    return
                line[j] = row[place]
        else:
            at, line = places[o, i], out[o, i]
            for j in range(at.size):
                place = at[j]
                if place < 0 or place >= size:
                    wrong[0] = 1
                    return
                line[j] = a[o, place, j]
        k += rows


@jit
def write_along(out: Array, places: Array, source: Array, add: bool, wrong: Array, first: int, last: int) -> None:
    """out[o, places[o, i, j], j] = source[o, i, j], or += with `add`, in order; notes in `wrong` a place outside."""
    size, count, after, line = out.shape[1], places.shape[1], places.shape[2], first
    while line < last:
        o, start, width = line // after, line % after, lines_of(after, line, last)
        if after == 1:
            row, at, given = (
                part_of(out, o * size, size),
                part_of(places, o * count, count),
                part_of(source, o * count, count),
            )
            for i in range(at.size):
                place = at[i]
                if place < 0 or place >= size:
                    wrong[0] = 1
                    return
                row[place] = row[place] + given[i] if add else given[i]
        else:
            for i in range(count):
                here = (o * count + i) * after + start
                at, given = part_of(places, here, width), part_of(source, here, width)
                for j in range(at.size):
                    place = at[j]
                    if place < 0 or place >= size:
                        wrong[0] = 1
                        return
                    to = part_of(out, (o * size + place) * after + start + j, 1)
                    to[0] = to[0] + given[j] if add else given[j]
        line += width
