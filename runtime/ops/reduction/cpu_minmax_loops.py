"""Extremes, where they first are, and tests of any dtype, on (before, along, after): see cpu_reduce_loops.py.

With sign -1 the least is taken in place of the greatest; nan is extreme.
"""

from typing import Any

import numpy as np

from ...compiler.jit import READ, jit
from ...kernels.cpu.loops import copy_row, lines_of
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import CHUNK
from ...kernels.llvm.addresses import offset_of, part_of
from ...kernels.llvm.argminmax import TILE_LANES, argmax_of_columns, argmax_of_row, argmin_of_columns, argmin_of_row
from ...kernels.llvm.prefix_scan import LANES

LONG = 2 * TILE_LANES  # elements of a row
MAX_LANE_INDEX = 1 << 31  # numbers that a lane has room for


@jit
def first_in_row(row: Array, sign: int) -> tuple[float, int]:
    """The greatest of a long row, or with sign -1 the least, and where it first is."""
    steps = min(row.size // TILE_LANES, MAX_LANE_INDEX - 1)
    best, at = argmax_of_row(row, steps) if sign > 0 else argmin_of_row(row, steps)
    for i in range(steps * TILE_LANES, row.size):
        better = row[i] > best if sign > 0 else row[i] < best
        if better or (row[i] != row[i] and best == best):
            best, at = row[i], i
    return best, at


@jit
def first_in_short_row(row: Array, sign: int) -> tuple[float, int]:
    best, at = row[0], 0
    for i in range(1, row.size):
        better = row[i] > best if sign > 0 else row[i] < best
        replaces = better or (row[i] != row[i] and best == best)
        best = row[i] if replaces else best
        at = i if replaces else at
    return best, at


@jit
def first_in_columns(x: Array, start: int, along: int, stride: int, sign: int, values: Array, positions: Array) -> None:
    """The extremes of neighbouring columns, at least eight, and in which row they first are."""
    done = 0
    while done < values.size:
        column = min(done, values.size - LANES)  # the last eight are whole again
        best, result = part_of(values, column, LANES), part_of(positions, column, LANES)
        if sign > 0:
            argmax_of_columns(x, start + column, along, stride, best, result)
        else:
            argmin_of_columns(x, start + column, along, stride, best, result)
        done = column + LANES


NARROW = 32  # columns whose extremes are kept in registers
UNIT = 64  # results side by side that one thread has, at least


@jit(halves=READ)
def argminmax(
    x: Array, values: Array, positions: Array, sign: int, along: int, after: int, stride: int, between: int, times: int,
    outer: int, first: int, last: int,
) -> None:  # fmt: skip
    """The greatest of x[b, :, j], or with sign -1 the least, and where it first is; the first nan, if there is one."""
    k = first
    while k < last:
        start = offset_of(k // after, between, times, outer) + k % after
        if after == 1 == stride:
            row = part_of(x, start, along)
            values[k], positions[k] = first_in_row(row, sign) if along >= LONG else first_in_short_row(row, sign)
            k += 1
            continue
        width = lines_of(after, k, last)
        best_row, result = part_of(values, k, width), part_of(positions, k, width)
        if LANES <= width <= NARROW and along < MAX_LANE_INDEX:
            first_in_columns(x, start, along, stride, sign, best_row, result)
            k += width
            continue
        copy_row(part_of(x, start, width), best_row)
        for j in range(width):
            result[j] = 0
        for i in range(1, along):
            row = part_of(x, start + i * stride, width)
            for j in range(width):
                better = row[j] > best_row[j] if sign > 0 else row[j] < best_row[j]
                # A nan is taken once, when the best is none yet: x == x is false for nan alone.
                replaces = better or (row[j] != row[j] and best_row[j] == best_row[j])
                best_row[j] = row[j] if replaces else best_row[j]
                result[j] = i if replaces else result[j]
        k += width


@jit(halves=READ)
def column_minmax(
    x: Array, values: Array, sign: int, along: int, after: int, stride: int, between: int, times: int, outer: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """The greatest of x[b, :, j], or with sign -1 the least; nan where there is one."""
    k = first
    while k < last:
        width, start = lines_of(after, k, last), offset_of(k // after, between, times, outer) + k % after
        best_row = part_of(values, k, width)
        copy_row(part_of(x, start, width), best_row)
        fours = 1 + (along - 1) // 4 * 4
        for i in range(1, fours, 4):  # so that results are read and written once for four rows
            at = start + i * stride
            one, two = part_of(x, at, width), part_of(x, at + stride, width)
            three, four = part_of(x, at + 2 * stride, width), part_of(x, at + 3 * stride, width)
            for j in range(width):
                best = further(further(best_row[j], one[j], sign), two[j], sign)
                best = further(further(best, three[j], sign), four[j], sign)
                # Where one is nan, so is their sum.
                known = (one[j] == one[j]) & (two[j] == two[j]) & (three[j] == three[j]) & (four[j] == four[j])
                best_row[j] = best if known else (one[j] + two[j]) + (three[j] + four[j])
        for i in range(fours, along):
            row = part_of(x, start + i * stride, width)
            for j in range(width):
                best_row[j] = further(best_row[j], row[j], sign) if row[j] == row[j] else row[j]
        k += width


@jit
def further(best: Any, value: Any, sign: int) -> Any:
    """The greater, or with sign -1 the lesser of two numbers, the first of equal ones and where one is nan."""
    return value if (value > best if sign > 0 else value < best) else best


@jit
def extreme_of(row: Array, sign: int) -> Any:
    best = row[0]
    if sign > 0:
        for i in range(1, row.size):
            best = row[i] if row[i] > best else best
    else:
        for i in range(1, row.size):
            best = row[i] if row[i] < best else best
    return best


@jit
def integer_minmax_of_rows(
    x: Array, values: Array, sign: int, along: int, between: int, times: int, outer: int, first: int, last: int
) -> None:
    for b in range(first, last):
        values[b] = extreme_of(part_of(x, offset_of(b, between, times, outer), along), sign)


@jit
def integer_minmax_of_chunks(x: Array, values: Array, sign: int, first: int, last: int) -> None:
    for k in range(first, last, CHUNK):
        values[k // CHUNK] = extreme_of(part_of(x, k, min(CHUNK, x.size - k)), sign)


@jit
def integer_sum_of(row: Array) -> Any:
    """sum_i x_i of whole numbers or bools, modulo 2^64."""
    total = np.int64(0)
    for i in range(row.size):
        total += np.int64(row[i])
    return total


@jit
def integer_sums_of_chunks(x: Array, totals: Array, first: int, last: int) -> None:
    for k in range(first, last, CHUNK):
        totals[k // CHUNK] = integer_sum_of(part_of(x, k, min(CHUNK, x.size - k)))


@jit
def integer_sums(
    x: Array, out: Array, along: int, after: int, stride: int, between: int, times: int, outer: int, first: int,
    last: int,
) -> None:  # fmt: skip
    k = first
    while k < last:
        start = offset_of(k // after, between, times, outer) + k % after
        if after == 1 == stride:
            out[k] = integer_sum_of(part_of(x, start, along))
            k += 1
            continue
        width = lines_of(after, k, last)
        totals = part_of(out, k, width)
        for j in range(width):
            totals[j] = 0
        for i in range(along):
            row = part_of(x, start + i * stride, width)
            for j in range(width):
                totals[j] += np.int64(row[j])
        k += width


@jit(halves=READ)
def tests(
    x: Array, out: Array, every: int, along: int, after: int, stride: int, between: int, times: int, outer: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """Whether some of x[b, :, j] is not zero, or with `every` none is zero."""
    k = first
    while k < last:
        start = offset_of(k // after, between, times, outer) + k % after
        if after == 1 == stride:
            row, result = part_of(x, start, along), 0
            for i in range(row.size):
                result += 1 if row[i] != 0 else 0
            out[k] = result == along if every else result > 0
            k += 1
            continue
        width = lines_of(after, k, last)
        is_nan_row = part_of(out, k, width)
        for j in range(width):
            is_nan_row[j] = every != 0
        for i in range(along):
            row = part_of(x, start + i * stride, width)
            for j in range(width):
                is_nan_row[j] = is_nan_row[j] and row[j] != 0 if every else is_nan_row[j] or row[j] != 0
        k += width


@jit
def selected_in_zeros(
    grads: Array, positions: Array, out: Array, along: int, count: int, after: int, first: int, last: int
) -> None:
    """out[b, positions[b, i, j], j] = grads[b, i, j], else 0; an IndexError at the end if one is out of bounds."""
    outside = False
    for b in range(first, last):
        plane = part_of(out, b * along * after, along * after)
        for i in range(plane.size):
            plane[i] = 0
        for i in range(count):
            start = (b * count + i) * after
            value, at = part_of(grads, start, after), part_of(positions, start, after)
            for j in range(after):
                position = at[j]
                if position < 0 or position >= along:
                    outside = True
                else:
                    plane[position * after + j] = value[j]
    if outside:
        raise IndexError
