"""Loops over contiguous arrays that NumPy has no fast call for; compiled on first use, for each dtype."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..places import part_of

Array = np.ndarray


@jit
def running_sums(a: Array, out: Array) -> None:
    """out[o, i, j] = sum_{k <= i} a[o, k, j]."""
    for o in range(a.shape[0]):
        out[o, 0] = a[o, 0]
        for i in range(1, a.shape[1]):
            before, here, row = out[o, i - 1], out[o, i], a[o, i]
            for j in range(row.size):
                here[j] = before[j] + row[j]


@jit
def last_running_sums(a: Array, out: Array) -> None:
    """out[o, i] = sum_{k <= i} a[o, k]; four rows side by side, for an addition waits for the one before in its row."""
    fours = a.shape[0] // 4 * 4
    for o in range(0, fours, 4):
        one, two, three, four = a[o], a[o + 1], a[o + 2], a[o + 3]
        to1, to2, to3, to4 = out[o], out[o + 1], out[o + 2], out[o + 3]
        sum1, sum2, sum3, sum4 = one[0], two[0], three[0], four[0]
        to1[0], to2[0], to3[0], to4[0] = sum1, sum2, sum3, sum4
        for i in range(1, one.size):
            sum1 += one[i]
            sum2 += two[i]
            sum3 += three[i]
            sum4 += four[i]
            to1[i], to2[i], to3[i], to4[i] = sum1, sum2, sum3, sum4
    for o in range(fours, a.shape[0]):
        row, here = a[o], out[o]
        total = row[0]
        here[0] = total
        for i in range(1, row.size):
            total += row[i]
            here[i] = total


@jit
def column_extremes(a: Array, greatest: bool, values: Array, places: Array) -> None:
    """The greatest (or least) of a[o, :, j] and where it first is; the first nan, where there is one."""
    for o in range(a.shape[0]):
        best, at = values[o], places[o]
        best[:], at[:] = a[o, 0], 0
        for i in range(1, a.shape[1]):
            row = a[o, i]
            for j in range(best.size):
                better = row[j] > best[j] if greatest else row[j] < best[j]
                taken = better or (row[j] != row[j] and best[j] == best[j])
                best[j] = row[j] if taken else best[j]
                at[j] = i if taken else at[j]


@jit
def row_extremes(a: Array, greatest: bool, values: Array, places: Array) -> None:
    """The same of each row a[o, :]."""
    for o in range(a.shape[0]):
        row = part_of(a, o * a.shape[1], a.shape[1])
        best, at = row[0], 0
        for i in range(1, row.size):
            better = row[i] > best if greatest else row[i] < best
            taken = better or (row[i] != row[i] and best == best)
            best = row[i] if taken else best
            at = i if taken else at
        values[o], places[o] = best, at


@jit
def add_rows(out: Array, places: Array, values: Array) -> None:
    """out[places[i], :] += values[i, :], in the order of i."""
    for i in range(places.size):
        target = out[places[i]]
        source = values[i]
        for j in range(target.size):
            target[j] += source[j]


@jit
def gather_along(a: Array, places: Array, out: Array) -> bool:
    """out[o, i, j] = a[o, places[o, i, j], j]; False as soon as a place is outside."""
    size, count = a.shape[1], places.shape[1]
    for o in range(places.shape[0]):
        if places.shape[2] == 1:
            row, at, line = (
                part_of(a, o * size, size),
                part_of(places, o * count, count),
                part_of(out, o * count, count),
            )
            for i in range(at.size):
                place = at[i]
                if place < 0 or place >= size:
                    return False
                line[i] = row[place]
            continue
        for i in range(places.shape[1]):
            at, line = places[o, i], out[o, i]
            for j in range(at.size):
                place = at[j]
                if place < 0 or place >= size:
                    return False
                line[j] = a[o, place, j]
    return True


@jit
def write_along(out: Array, places: Array, source: Array) -> bool:
    """out[o, places[o, i, j], j] = source[o, i, j] in order; False as soon as a place is outside."""
    size, count = out.shape[1], places.shape[1]
    for o in range(places.shape[0]):
        if places.shape[2] == 1:
            row, at, given = (
                part_of(out, o * size, size),
                part_of(places, o * count, count),
                part_of(source, o * count, count),
            )
            for i in range(at.size):
                place = at[i]
                if place < 0 or place >= size:
                    return False
                row[place] = given[i]
            continue
        for i in range(places.shape[1]):
            at, given = places[o, i], source[o, i]
            for j in range(at.size):
                place = at[j]
                if place < 0 or place >= size:
                    return False
                out[o, place, j] = given[j]
    return True


@jit
def add_along(out: Array, places: Array, source: Array) -> bool:
    """out[o, places[o, i, j], j] += source[o, i, j] in order; False as soon as a place is outside."""
    size, count = out.shape[1], places.shape[1]
    for o in range(places.shape[0]):
        if places.shape[2] == 1:
            row, at, given = (
                part_of(out, o * size, size),
                part_of(places, o * count, count),
                part_of(source, o * count, count),
            )
            for i in range(at.size):
                place = at[i]
                if place < 0 or place >= size:
                    return False
                row[place] += given[i]
            continue
        for i in range(places.shape[1]):
            at, given = places[o, i], source[o, i]
            for j in range(at.size):
                place = at[j]
                if place < 0 or place >= size:
                    return False
                out[o, place, j] += given[j]
    return True
