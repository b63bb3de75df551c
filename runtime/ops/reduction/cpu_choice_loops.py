"""Extremes, where they are, and tests of elements of any dtype, as plans call them on (before, along, after).

Results are counted through (before, after); the last two arguments of a loop are the range of results that it fills.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.cpu.loops import copy_row, lines_of
from ...kernels.cpu.sums import CHUNK
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
    """The greatest of x[b, :, j], or with sign -1 the least; nan where there is one."""
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


@jit
def extreme_of(row: Array, sign: int) -> Any:
    """The greatest of whole numbers, or bools, or with sign -1 the least."""
    best = row[0]
    if sign > 0:
        for i in range(1, row.size):
            best = row[i] if row[i] > best else best
    else:
        for i in range(1, row.size):
            best = row[i] if row[i] < best else best
    return best


@jit
def whole_extremes_of_rows(x: Array, values: Array, sign: int, along: int, first: int, last: int) -> None:
    """values[b] = the extreme of x[b], of whole numbers or bools."""
    for b in range(first, last):
        values[b] = extreme_of(part_of(x, b * along, along), sign)


@jit
def whole_extremes_of_chunks(x: Array, values: Array, sign: int, first: int, last: int) -> None:
    """values[k] = the extreme of chunk k of x."""
    for k in range(first, last, CHUNK):
        values[k // CHUNK] = extreme_of(part_of(x, k, min(CHUNK, x.size - k)), sign)


@jit
def whole_sum_of(row: Array) -> Any:
    """sum_i x_i of whole numbers or bools, modulo 2^64."""
    total = np.int64(0)
    for i in range(row.size):
        total += np.int64(row[i])
    return total


@jit
def whole_sums_of_chunks(x: Array, totals: Array, first: int, last: int) -> None:
    """totals[k] = the sum of chunk k of x."""
    for k in range(first, last, CHUNK):
        totals[k // CHUNK] = whole_sum_of(part_of(x, k, min(CHUNK, x.size - k)))


@jit
def whole_sums(x: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    """out[b, j] = sum_i x[b, i, j] of whole numbers or bools, modulo 2^64."""
    k = first
    while k < last:
        if after == 1:
            out[k] = whole_sum_of(part_of(x, k * along, along))
            k += 1
            continue
        width, start = lines_of(after, k, last), k // after * along * after + k % after
        totals = part_of(out, k, width)
        for j in range(width):
            totals[j] = 0
        for i in range(along):
            row = part_of(x, start + i * after, width)
            for j in range(width):
                totals[j] += np.int64(row[j])
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
