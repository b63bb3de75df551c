"""Rows of a table taken and added at places: loops over contiguous arrays. Places may count from the end.

Each loop stops at the first place outside the table, and notes in `wrong` that there is one. The last two arguments are
the range of places to take, or of columns to add to.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit

Array = np.ndarray


@jit
def take_rows(table: Array, places: Array, least: int, out: Array, wrong: Array, first: int, last: int) -> None:
    """out[i] = table[places[i]]; places below `least` are outside."""
    size, width = table.shape[0], table.shape[1]
    for i in range(first, last):
        place = places[i]
        if place < least or place >= size:
            wrong[0] = 1
            return
        source, target = table[place + size if place < 0 else place], out[i]
        for j in range(width):
            target[j] = source[j]


@jit
def add_to_rows(
    table: Array, places: Array, least: int, rows: Array, scale: float, wrong: Array, first: int, last: int
) -> None:
    """table[places[i]] += scale rows[i], in the order of i."""
    size = table.shape[0]
    for i in range(places.size):
        place = places[i]
        if place < least or place >= size:
            wrong[0] = 1
            return
        source, target = rows[i, first:last], table[place + size if place < 0 else place, first:last]
        if scale == 1:
            for j in range(target.size):
                target[j] += source[j]
        else:
            for j in range(target.size):
                target[j] += table.dtype.type(scale) * source[j]
