"""Rows of a table taken, written and added at places: loops over contiguous arrays. Places may count from the end.

Each loop stops at the first place outside the table and returns its position, or -1.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit

Array = np.ndarray


@jit
def take_rows(table: Array, places: Array, least: int, out: Array) -> int:
    """out[i] = table[places[i]]; places below `least` are outside."""
    size, width = table.shape[0], table.shape[1]
    for i in range(places.size):
        place = places[i]
        if place < least or place >= size:
            return i
        source, target = table[place + size if place < 0 else place], out[i]
        for j in range(width):
            target[j] = source[j]
    return -1


@jit
def add_to_rows(table: Array, places: Array, least: int, rows: Array, scale: float) -> int:
    """table[places[i]] += scale rows[i], in the order of i."""
    size, width = table.shape[0], table.shape[1]
    for i in range(places.size):
        place = places[i]
        if place < least or place >= size:
            return i
        source, target = rows[i], table[place + size if place < 0 else place]
        if scale == 1:
            for j in range(width):
                target[j] += source[j]
        else:
            for j in range(width):
                target[j] += table.dtype.type(scale) * source[j]
    return -1
