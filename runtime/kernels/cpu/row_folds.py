"""What loops of row programs call on the CPU: extremes of a row in vector code, and elements at a place."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..llvm.lines import range_of

BLOCK = 1024  # elements of a row that are added in its own dtype, in vector lanes
REORDER = {"reassoc", "contract", "nsz"}

Array = np.ndarray


@jit
def row_max(row: Array) -> float:
    """The greatest element of a row of floats, nan where one is; -inf of no elements."""
    if row.size == 0:
        return -np.inf
    return np.nan if has_nan(row) else float(range_of(row)[1])


@jit
def row_min(row: Array) -> float:
    """The least element of a row of floats, nan where one is; inf of no elements."""
    if row.size == 0:
        return np.inf
    return np.nan if has_nan(row) else float(range_of(row)[0])


@jit
def has_nan(row: Array) -> bool:
    """Whether an element is nan: counted, which is vector code."""
    count = 0
    for i in range(row.size):
        count += 1 if row[i] != row[i] else 0
    return count > 0


@jit
def first_index(row: Array, value: float) -> int:
    """The first place of a value that a row has, which may be nan; 0 of no elements."""
    for i in range(row.size):
        if row[i] == value or (value != value and row[i] != row[i]):
            return i
    return 0


@jit
def element_at(row: Array, position: int) -> float:
    """The element at a place of a row, nan where there is none."""
    return float(row[position]) if 0 <= position < row.size else np.nan
