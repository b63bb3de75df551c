"""Extremes, where they are, and tests of elements of any dtype, as plans call them on (before, along, after).

Where elements lie, and how results are counted, is as in cpu_reduce_loops.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.cpu.loops import copy_row, lines_of
from ...kernels.cpu.sums import CHUNK
from ...kernels.jit import READ, jit
from ...kernels.llvm.addresses import part_of, place_of
from ...kernels.llvm.prefixes import LANES
from .cpu_first_loops import LONG, MOST, first_in_columns, first_in_row, first_in_short_row

Array = np.ndarray

NARROW = 32  # columns whose extremes are kept in registers
UNIT = 64  # results side by side that one thread has, at least


@jit(halves=READ)
def first_extremes(
    x: Array,
    values: Array,
    places: Array,
    sign: int,
    along: int,
    after: int,
    apart: int,
    between: int,
    times: int,
    outer: int,
    first: int,
    last: int,
) -> None:
    """The greatest of x[b, :, j], or with sign -1 the least, and where it first is; the first nan, if there is one."""
    k = first
    while k < last:
        start = place_of(k // after, between, times, outer) + k % after
        if after == 1 == apart:
            row = part_of(x, start, along)
            values[k], places[k] = first_in_row(row, sign) if along >= LONG else first_in_short_row(row, sign)
            k += 1
            continue
        width = lines_of(after, k, last)
        most, found = part_of(values, k, width), part_of(places, k, width)
        if LANES <= width <= NARROW and along < MOST:
            first_in_columns(x, start, along, apart, sign, most, found)
            k += width
            continue
        copy_row(part_of(x, start, width), most)
        for j in range(width):
            found[j] = 0
        for i in range(1, along):
            row = part_of(x, start + i * apart, width)
            for j in range(width):
                better = row[j] > most[j] if sign > 0 else row[j] < most[j]
                # A nan is taken once, when the best is none yet: x == x is false for nan alone.
                taken = better or (row[j] != row[j] and most[j] == most[j])
                most[j] = row[j] if taken else most[j]
                found[j] = i if taken else found[j]
        k += width


@jit(halves=READ)
def column_extremes(
    x: Array,
    values: Array,
    sign: int,
    along: int,
    after: int,
    apart: int,
    between: int,
    times: int,
    outer: int,
    first: int,
    last: int,
) -> None:
    """The greatest of x[b, :, j], or with sign -1 the least; nan where there is one."""
    k = first
    while k < last:
        width, start = lines_of(after, k, last), place_of(k // after, between, times, outer) + k % after
        most = part_of(values, k, width)
        copy_row(part_of(x, start, width), most)
        fours = 1 + (along - 1) // 4 * 4
        for i in range(1, fours, 4):  # so that results are read and written once for four rows
            at = start + i * apart
            one, two = part_of(x, at, width), part_of(x, at + apart, width)
            three, four = part_of(x, at + 2 * apart, width), part_of(x, at + 3 * apart, width)
            for j in range(width):
                best = further(further(most[j], one[j], sign), two[j], sign)
                best = further(further(best, three[j], sign), four[j], sign)
                # Where one is nan, so is their sum.
                known = (one[j] == one[j]) & (two[j] == two[j]) & (three[j] == three[j]) & (four[j] == four[j])
                most[j] = best if known else (one[j] + two[j]) + (three[j] + four[j])
        for i in range(fours, along):
            row = part_of(x, start + i * apart, width)
            for j in range(width):
                most[j] = further(most[j], row[j], sign) if row[j] == row[j] else row[j]
        k += width


@jit
def further(best: Any, value: Any, sign: int) -> Any:
    """The greater, or with sign -1 the lesser of two numbers, the first of equal ones and where one is nan."""
    return value if (value > best if sign > 0 else value < best) else best


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
def whole_extremes_of_rows(
    x: Array, values: Array, sign: int, along: int, between: int, times: int, outer: int, first: int, last: int
) -> None:
    """values[b] = the extreme of x[b], of whole numbers or bools."""
    for b in range(first, last):
        values[b] = extreme_of(part_of(x, place_of(b, between, times, outer), along), sign)


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
def whole_sums(
    x: Array,
    out: Array,
    along: int,
    after: int,
    apart: int,
    between: int,
    times: int,
    outer: int,
    first: int,
    last: int,
) -> None:
    """out[b, j] = sum_i x[b, i, j] of whole numbers or bools, modulo 2^64."""
    k = first
    while k < last:
        start = place_of(k // after, between, times, outer) + k % after
        if after == 1 == apart:
            out[k] = whole_sum_of(part_of(x, start, along))
            k += 1
            continue
        width = lines_of(after, k, last)
        totals = part_of(out, k, width)
        for j in range(width):
            totals[j] = 0
        for i in range(along):
            row = part_of(x, start + i * apart, width)
            for j in range(width):
                totals[j] += np.int64(row[j])
        k += width


@jit(halves=READ)
def tests(
    x: Array,
    out: Array,
    every: int,
    along: int,
    after: int,
    apart: int,
    between: int,
    times: int,
    outer: int,
    first: int,
    last: int,
) -> None:
    """Whether some of x[b, :, j] is not zero, or with `every` none is zero."""
    k = first
    while k < last:
        start = place_of(k // after, between, times, outer) + k % after
        if after == 1 == apart:
            row, found = part_of(x, start, along), 0
            for i in range(row.size):
                found += 1 if row[i] != 0 else 0
            out[k] = found == along if every else found > 0
            k += 1
            continue
        width = lines_of(after, k, last)
        told = part_of(out, k, width)
        for j in range(width):
            told[j] = every != 0
        for i in range(along):
            row = part_of(x, start + i * apart, width)
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
