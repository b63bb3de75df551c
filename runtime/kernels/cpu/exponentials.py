"""Exponentials of rows less their greatest element, as softmax and its like have them.

Where all of a row lies near its greatest element, every exponential is a normal number, and a shorter function gives
the same bits.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..scalar import exp_fast_range, exp_of_masked
from .sums import REORDER

NORMAL_EXP_LIMIT = -87.0  # of which and of greater numbers the exponential is a normal one
Array = np.ndarray


@jit
def exponentials(row: Array, low: float, top: float, out: Array) -> None:
    """out_j = e^(x_j - top), for a row whose least element is `low`."""
    if low - top > NORMAL_EXP_LIMIT:
        for j in range(out.size):
            out[j] = exp_fast_range(row[j] - top)
    else:
        for j in range(out.size):
            out[j] = exp_of_masked(row[j] - top)


@jit(fastmath=REORDER)
def exponential_sum(row: Array, low: float, top: float) -> float:
    """sum_j e^(x_j - top), in the dtype of the row."""
    total = row.dtype.type(0)
    if low - top > NORMAL_EXP_LIMIT:
        for j in range(row.size):
            total += exp_fast_range(row[j] - top)
    else:
        for j in range(row.size):
            total += exp_of_masked(row[j] - top)
    return total


@jit
def scale(row: Array, factor: float, out: Array) -> None:
    """out_j = factor x_j."""
    for j in range(out.size):
        out[j] = row[j] * factor
