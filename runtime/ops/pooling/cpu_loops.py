"""Pooling window by window: for windows of any sizes, and numbers of any type."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray
Ranges = tuple[Array, Array, Array]


@jit
def window_maxima(x: Array, ranges: Ranges, steps: tuple[int, int, int], values: Array, indices: Array) -> None:
    """The greatest of each window, NaN before all, and its place in the flattened plane; the first of equals."""
    (down, along, across), (height, width) = ranges, x.shape[2:]
    for plane, a, b in np.ndindex(values.shape[:3]):
        picture = x[plane]
        for c in range(values.shape[3]):
            i, j, k = down[a, 0], along[b, 0], across[c, 0]
            best, place = picture[i, j, k], (i * height + j) * width + k
            for i in range(down[a, 0], down[a, 1], steps[0]):
                for j in range(along[b, 0], along[b, 1], steps[1]):
                    for k in range(across[c, 0], across[c, 1], steps[2]):
                        value = picture[i, j, k]
                        if value > best or value != value:
                            best, place = value, (i * height + j) * width + k
            values[plane, a, b, c], indices[plane, a, b, c] = best, place


@jit(fastmath={"reassoc"})
def window_sums(x: Array, ranges: Ranges, result: Array) -> None:
    """The sum of each window, in float64: a window may be all there is."""
    down, along, across = ranges
    for plane, a, b in np.ndindex(result.shape[:3]):
        for c in range(result.shape[3]):
            total = 0.0
            for i in range(down[a, 0], down[a, 1]):
                for j in range(along[b, 0], along[b, 1]):
                    row = x[plane, i, j, across[c, 0] : across[c, 1]]
                    for k in range(row.size):
                        total += row[k]
            result[plane, a, b, c] = total


@jit
def add_to_windows(shares: Array, ranges: Ranges, result: Array) -> None:
    """Adds to all elements of each window."""
    down, along, across = ranges
    for plane, a, b in np.ndindex(shares.shape[:3]):
        for c in range(shares.shape[3]):
            share = shares[plane, a, b, c]
            for i in range(down[a, 0], down[a, 1]):
                for j in range(along[b, 0], along[b, 1]):
                    row = result[plane, i, j, across[c, 0] : across[c, 1]]
                    for k in range(row.size):
                        row[k] += share


@jit
def add_at_places(grad: Array, indices: Array, result: Array) -> bool:
    """Adds the values of each plane at their places; False as soon as one lies outside."""
    for plane in range(grad.shape[0]):
        slopes, places, totals = grad[plane], indices[plane], result[plane]
        for k in range(slopes.size):
            place = places[k]
            if place < 0 or place >= totals.size:
                return False
            totals[place] += slopes[k]
    return True
