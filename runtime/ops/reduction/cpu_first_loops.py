"""The first extreme of a row, and those of a few columns, in vectors; nan is extreme. Elements are of any dtype."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.first_extremes import (
    TILE_LANES,
    argmax_of_columns,
    argmax_of_row,
    argmin_of_columns,
    argmin_of_row,
)
from ...kernels.llvm.prefixes import LANES

Array = np.ndarray

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
    """The greatest of a row, or with sign -1 the least, and where it first is."""
    best, at = row[0], 0
    for i in range(1, row.size):
        better = row[i] > best if sign > 0 else row[i] < best
        replaces = better or (row[i] != row[i] and best == best)
        best = row[i] if replaces else best
        at = i if replaces else at
    return best, at


@jit
def first_in_columns(x: Array, start: int, along: int, stride: int, sign: int, values: Array, positions: Array) -> None:
    """The extremes of neighbouring columns, at least eight, and in which row they first are; rows are `apart`."""
    done = 0
    while done < values.size:
        column = min(done, values.size - LANES)  # the last eight are whole again
        best, result = part_of(values, column, LANES), part_of(positions, column, LANES)
        if sign > 0:
            argmax_of_columns(x, start + column, along, stride, best, result)
        else:
            argmin_of_columns(x, start + column, along, stride, best, result)
        done = column + LANES
