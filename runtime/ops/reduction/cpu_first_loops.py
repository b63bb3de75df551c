"""The first extreme of a row, and those of a few columns, in vectors; nan is extreme. Elements are of any dtype."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.first_extremes import (
    TOGETHER,
    first_greatest,
    first_greatest_down,
    first_least,
    first_least_down,
)
from ...kernels.llvm.prefixes import LANES

Array = np.ndarray

LONG = 2 * TOGETHER  # elements of a row
MOST = 1 << 31  # numbers that a lane has room for


@jit
def first_in_row(row: Array, sign: int) -> tuple[float, int]:
    """The greatest of a long row, or with sign -1 the least, and where it first is."""
    steps = min(row.size // TOGETHER, MOST - 1)
    best, at = first_greatest(row, steps) if sign > 0 else first_least(row, steps)
    for i in range(steps * TOGETHER, row.size):
        better = row[i] > best if sign > 0 else row[i] < best
        if better or (row[i] != row[i] and best == best):
            best, at = row[i], i
    return best, at


@jit
def first_in_short_row(row: Array, sign: int) -> tuple[float, int]:
    """The greatest of a row, or with sign -1 the least, and where it first is."""
    best, at = row[0], 0
    for i in range(1, row.size):
        better = row[i] > best if sign > 0 else row[i] < best
        taken = better or (row[i] != row[i] and best == best)
        best = row[i] if taken else best
        at = i if taken else at
    return best, at


@jit
def first_in_columns(x: Array, start: int, along: int, apart: int, sign: int, values: Array, places: Array) -> None:
    """The extremes of neighbouring columns, at least eight, and in which row they first are; rows are `apart`."""
    done = 0
    while done < values.size:
        column = min(done, values.size - LANES)  # the last eight are whole again
        best, found = part_of(values, column, LANES), part_of(places, column, LANES)
        if sign > 0:
            first_greatest_down(x, start + column, along, apart, best, found)
        else:
            first_least_down(x, start + column, along, apart, best, found)
        done = column + LANES
