"""Loops over contiguous arrays that NumPy has no fast call for; compiled on first use, for each dtype."""

from __future__ import annotations

import numpy as np

from ..jit import jit

Array = np.ndarray


@jit(fastmath={"reassoc", "nsz"})
def product(values: Array, out: Array) -> None:
    """out[0] = prod_i values[i]."""
    result = out[0]
    for i in range(values.size):
        result *= values[i]
    out[0] = result


@jit
def running_sums(a: Array, out: Array) -> None:
    """out[o, i, j] = sum_{k <= i} a[o, k, j]."""
    for o in range(a.shape[0]):
        out[o, 0] = a[o, 0]
        for i in range(1, a.shape[1]):
            before, here, row = out[o, i - 1], out[o, i], a[o, i]
            for j in range(row.size):
                here[j] = before[j] + row[j]


@jit
def last_running_sums(a: Array, out: Array) -> None:
    """out[o, i] = sum_{k <= i} a[o, k]."""
    for o in range(a.shape[0]):
        row, here = a[o], out[o]
        total = row[0]
        here[0] = total
        for i in range(1, row.size):
            total += row[i]
            here[i] = total


@jit
def add_rows(out: Array, places: Array, values: Array) -> None:
    """out[places[i], :] += values[i, :], in the order of i."""
    for i in range(places.size):
        target = out[places[i]]
        source = values[i]
        for j in range(target.size):
            target[j] += source[j]


@jit
def gather_along(a: Array, places: Array, out: Array) -> bool:
    """out[o, i, j] = a[o, places[o, i, j], j]; False as soon as a place is outside."""
    size = a.shape[1]
    for o in range(places.shape[0]):
        for i in range(places.shape[1]):
            for j in range(places.shape[2]):
                place = places[o, i, j]
                if place < 0 or place >= size:
                    return False
                out[o, i, j] = a[o, place, j]
    return True


@jit
def scatter_along(out: Array, places: Array, source: Array, add: bool) -> bool:
    """out[o, places[o, i, j], j] = (or +=) source[o, i, j] in order; False as soon as a place is outside."""
    size = out.shape[1]
    for o in range(places.shape[0]):
        for i in range(places.shape[1]):
            for j in range(places.shape[2]):
                place = places[o, i, j]
                if place < 0 or place >= size:
                    return False
                out[o, place, j] = out[o, place, j] + source[o, i, j] if add else source[o, i, j]
    return True
