"""Running extremes of lines along (before, along, after), and where they last occurred.

Neighbouring lines are scanned side by side, so that what lies beside each other in memory is read together. The last
two arguments are the range of lines, which are numbered in the order of (before, after).
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import WRITTEN, jit
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.prefixes import LANES, argmax_down, argmax_of_8, argmin_down, argmin_of_8

Array = np.ndarray
SIDE_BY_SIDE = 64  # lines that one thread has, at least
WIDE = 4  # groups of lines that are scanned at once: with places, they fill half of the registers
SCAN_ELEMENTS_THRESHOLD = 32  # elements


@jit(halves=WRITTEN)
def cumulative_minmax(
    x: Array, values: Array, positions: Array, along: int, after: int, takes_min: int, first: int, last: int
) -> None:
    """The greatest element up to each, or the least one; nan is extreme, and each later one has its own place."""
    if after == 1:
        for line in range(first, last):
            scan_line(x, values, positions, line * along, along, takes_min != 0)
        return
    line = first
    while line < last:
        column = line % after
        count = min(after - column, last - line)
        scan_columns(x, values, positions, line // after * along * after + column, along, after, count, takes_min != 0)
        line += count


@jit
def scan_columns(
    x: Array, values: Array, positions: Array, start: int, along: int, after: int, count: int, takes_min: bool
) -> None:
    """The running extremes of neighbouring lines: of many at once, then of eight; the last eight are whole again."""
    done = 0
    while count - done >= WIDE * LANES:
        if takes_min:
            argmin_down(WIDE, x, values, positions, start + done, along, after)
        else:
            argmax_down(WIDE, x, values, positions, start + done, along, after)
        done += WIDE * LANES
    while done < count and count >= LANES:
        column = start + min(done, count - LANES)
        if takes_min:
            argmin_down(1, x, values, positions, column, along, after)
        else:
            argmax_down(1, x, values, positions, column, along, after)
        done += LANES
    for k in range(done, count):
        scan_column(x, values, positions, start + k, along, after, takes_min)


@jit
def scan_column(x: Array, values: Array, positions: Array, start: int, along: int, after: int, takes_min: bool) -> None:
    """The running extremes of one line whose elements lie apart."""
    best, at = x[start], 0
    for i in range(along):
        position = start + i * after
        if is_extreme(x[position], best, takes_min):
            best, at = x[position], i
        values[position], positions[position] = best, at


@jit(forceinline=True)
def scan_line(x: Array, values: Array, positions: Array, start: int, along: int, takes_min: bool) -> None:
    """The running extremes of one line whose elements follow each other: some are filled in where none is extreme."""
    best, at = x[start], 0
    for begin in range(0, along, SCAN_ELEMENTS_THRESHOLD):
        count = min(SCAN_ELEMENTS_THRESHOLD, along - begin)
        some, to = part_of(x, start + begin, count), part_of(values, start + begin, count)
        where = part_of(positions, start + begin, count)
        if is_beaten(some, best, takes_min):
            best, at = scan_some(some, to, where, begin, best, at, takes_min)
            continue
        for k in range(count):
            to[k] = best
        for k in range(count):
            where[k] = at


@jit(forceinline=True)
def scan_some(
    some: Array, values: Array, positions: Array, begin: int, best: float, at: int, takes_min: bool
) -> tuple[float, int]:
    """The running extremes of a few elements from number `begin` of their line on, and the last of these."""
    # An int64 is compared and chosen in two cycles: vectors of them are no faster than one after the other.
    full = 0 if some.dtype.type(0.5) == 0 else some.size // LANES * LANES
    if takes_min:
        best, at = argmin_of_8(some, values, positions, 0, full, begin, best, at)
    else:
        best, at = argmax_of_8(some, values, positions, 0, full, begin, best, at)
    for k in range(full, some.size):
        if is_extreme(some[k], best, takes_min):
            best, at = some[k], begin + k
        values[k], positions[k] = best, at
    return best, at


@jit
def is_extreme(value: float, best: float, takes_min: bool) -> bool:
    """Whether a number is as extreme as the best one, or nan."""
    return value != value or (value <= best if takes_min else value >= best)


@jit(forceinline=True)
def is_beaten(some: Array, best: float, takes_min: bool) -> bool:
    """Whether one of some elements is as extreme as `best`, or nan, or this is."""
    beaten = np.int32(0)
    if takes_min:
        for k in range(some.size):
            beaten |= np.int32(not some[k] > best)
    else:
        for k in range(some.size):
            beaten |= np.int32(not some[k] < best)
    return beaten != 0
