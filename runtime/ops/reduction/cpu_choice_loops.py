"""Extremes, where they are, and tests of elements of any dtype, as plans call them on (before, along, after).

Results are counted through (before, after); the last two arguments of a loop are the range of results that it fills.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.loops import copy_row, lines_of
from ...kernels.jit import READ, jit
from ...kernels.llvm.addresses import part_of

Array = np.ndarray

SHORT = 128  # elements of rows for which NumPy takes longer than a plain loop
UNIT = 64  # results side by side that one thread has, at least


@jit(halves=READ)
def first_extremes(
    x: Array, values: Array, places: Array, sign: int, along: int, after: int, first: int, last: int
) -> None:
    """The greatest of x[b, :, j], or with sign -1 the least, and where it first is; the first nan, if there is one."""
    k = first
    while k < last:
        if after == 1:
            row = part_of(x, k * along, along)
            best, at = row[0], 0
            for i in range(1, row.size):
                better = row[i] > best if sign > 0 else row[i] < best
                taken = better or (row[i] != row[i] and best == best)
                best = row[i] if taken else best
                at = i if taken else at
            values[k], places[k] = best, at
            k += 1
            continue
        width, start = lines_of(after, k, last), k // after * along * after + k % after
        most, found = part_of(values, k, width), part_of(places, k, width)
        copy_row(part_of(x, start, width), most)
        for j in range(width):
            found[j] = 0
        for i in range(1, along):
            row = part_of(x, start + i * after, width)
            for j in range(width):
                better = row[j] > most[j] if sign > 0 else row[j] < most[j]
                # A nan is taken once, when the best is none yet: x == x is false for nan alone.
                taken = better or (row[j] != row[j] and most[j] == most[j])
                most[j] = row[j] if taken else most[j]
                found[j] = i if taken else found[j]
        k += width


@jit(halves=READ)
def column_extremes(x: Array, values: Array, sign: int, along: int, after: int, first: int, last: int) -> None:
    """The greatest of x[b, :, j], or with sign -1 the least, where something comes after; nan where there is one."""
    k = first
    while k < last:
        width, start = lines_of(after, k, last), k // after * along * after + k % after
        most = part_of(values, k, width)
        copy_row(part_of(x, start, width), most)
        for i in range(1, along):
            row = part_of(x, start + i * after, width)
            for j in range(width):
                better = row[j] > most[j] if sign > 0 else row[j] < most[j]
                most[j] = row[j] if better or row[j] != row[j] else most[j]
        k += width


@jit(halves=READ)
def tests(x: Array, out: Array, every: int, along: int, after: int, first: int, last: int) -> None:
    """Whether some of x[b, :, j] is not zero, or with `every` none is zero."""
    k = first
    while k < last:
        if after == 1:
            row, count = part_of(x, k * along, along), 0
            for i in range(row.size):
                count += 1 if row[i] != 0 else 0
            out[k] = count == along if every else count > 0
            k += 1
            continue
        width, start = lines_of(after, k, last), k // after * along * after + k % after
        told = part_of(out, k, width)
        for j in range(width):
            told[j] = every != 0
        for i in range(along):
            row = part_of(x, start + i * after, width)
            for j in range(width):
                told[j] = told[j] and row[j] != 0 if every else told[j] or row[j] != 0
        k += width


@jit
def selected_in_zeros(
    grads: Array, places: Array, out: Array, along: int, count: int, after: int, first: int, last: int
) -> None:
    """Zeros with grads[b, i, j] at out[b, places[b, i, j], j], for some b.

    Raises:
        IndexError: a place is out of bounds: the kernel in Python then says so.
    """
    outside = False
    for b in range(first, last):
        plane = part_of(out, b * along * after, along * after)
        for i in range(plane.size):
            plane[i] = 0
        for i in range(count):
            given, at = part_of(grads, (b * count + i) * after, after), part_of(places, (b * count + i) * after, after)
            for j in range(after):
                place = at[j]
                if place < 0 or place >= along:
                    outside = True
                else:
                    plane[place * after + j] = given[j]
    if outside:
        raise IndexError
