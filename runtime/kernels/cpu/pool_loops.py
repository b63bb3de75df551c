"""The loops of pooling: a row of windows at a time, one element of the windows after the other.

So the innermost loops run over neighbours, in vectors. They are written out for steps 1 and 2 between windows, because
LLVM takes vectors from memory only at steps that it knows.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit

Array = np.ndarray


@jit
def inside(start: int, size: int, step: int, count: int) -> tuple[int, int]:
    """The range of those i < count for which start + i step lies in range(size)."""
    first = 0 if start >= 0 else (step - 1 - start) // step
    end = 0 if start >= size else (size - 1 - start) // step + 1
    return first, max(first, min(end, count))


@jit
def max_pool(x: Array, table: Array, lowest: float, places: Array, values: Array, indices: Array) -> None:
    """The greatest of each window, NaN before all, and its place in the flattened plane; `places` has room for a row."""
    counts, kernel, stride, padding, dilation = table[1], table[2], table[3], table[4], table[5]
    for number in range(x.shape[0] * counts[0] * counts[1]):
        plane, line = divmod(number, counts[0] * counts[1])
        i, j = divmod(line, counts[1])
        best = values[plane, i, j]
        top0, top1 = i * stride[0] - padding[0], j * stride[1] - padding[1]
        a0, b0 = inside(top0, x.shape[1], dilation[0], kernel[0])
        a1, b1 = inside(top1, x.shape[2], dilation[1], kernel[1])
        corner = ((top0 + a0 * dilation[0]) * x.shape[2] + top1 + a1 * dilation[1]) * x.shape[3] - padding[2]
        best[:] = lowest
        _first_places(places, corner, table)
        for k0 in range(a0, b0):
            for k1 in range(a1, b1):
                row = (top0 + k0 * dilation[0]) * x.shape[2] + top1 + k1 * dilation[1]
                _greatest_of_row(x[plane].reshape(-1)[row * x.shape[3] :], row, table, best, places)
        found = indices[plane, i, j]
        for k in range(found.size):
            found[k] = places[k] + k * stride[2]


@jit
def _first_places(places: Array, corner: int, table: Array) -> None:
    """The first element of each window, counted from where the window begins in its row."""
    stride, padding, dilation = table[3, 2], table[4, 2], table[5, 2]
    places[:] = corner
    for k in range(min(places.size, (padding + stride - 1) // stride)):
        places[k] = corner + (padding - k * stride + dilation - 1) // dilation * dilation


@jit
def _greatest_of_row(row: Array, number: int, table: Array, best: Array, places: Array) -> None:
    """What one row of the plane has for the windows."""
    size, count, kernel, stride, padding, dilation = table[:, 2]
    for k in range(kernel):
        shift = k * dilation - padding
        first, end = inside(shift, size, stride, count)
        seen = row[shift + first * stride :] if first < end else row[:0]
        _take_greater(seen, stride, best[first:end], places[first:end], number * size + shift)


@jit
def _take_greater(seen: Array, step: int, best: Array, places: Array, place: int) -> None:
    if step == 1:
        for k in range(best.size):
            value = seen[k]
            better = value > best[k] or value != value
            best[k] = value if better else best[k]
            places[k] = place if better else places[k]
    elif step == 2:
        for k in range(best.size):
            value = seen[2 * k]
            better = value > best[k] or value != value
            best[k] = value if better else best[k]
            places[k] = place if better else places[k]
    else:
        for k in range(best.size):
            value = seen[step * k]
            if value > best[k] or value != value:
                best[k], places[k] = value, place


@jit
def scatter(grad: Array, indices: Array, result: Array) -> bool:
    """Adds the values of each plane at their places; False as soon as one lies outside."""
    for plane in range(grad.shape[0]):
        slopes, places, sums = grad[plane], indices[plane], result[plane]
        for k in range(slopes.size):
            place = places[k]
            if place < 0 or place >= sums.size:
                return False
            sums[place] += slopes[k]
    return True
