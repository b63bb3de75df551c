"""Loops that find the distinct slices along a dimension, few of them, and runs of equal ones.

A slice is compared element by element; nan is greater than all numbers, and makes a slice that equals none.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import READ, WRITTEN, jit

Array = np.ndarray


@jit(halves=READ)
def comes_before(x: Array, i: int, j: int, before: int, count: int, after: int) -> bool:
    """Whether a slice is less than another: the first elements that differ say so."""
    for b in range(before):
        for w in range(after):
            one, other = x[(b * count + i) * after + w], x[(b * count + j) * after + w]
            if one != other and (one == one or other == other):
                return one < other or other != other
    return False


@jit(halves=READ)
def are_different(x: Array, i: int, j: int, before: int, count: int, after: int) -> bool:
    """Whether some elements of two slices differ."""
    for b in range(before):
        for w in range(after):
            if x[(b * count + i) * after + w] != x[(b * count + j) * after + w]:
                return True
    return False


@jit(halves=READ)
def order_slices(x: Array, order: Array, result: Array, before: int, count: int, after: int, runs: int) -> None:
    """The indices of slices in order, of equal ones the first first, or, of `runs`, as they are; and how many of them
    differ from the one before."""
    different = 0
    for k in range(count):
        low, high = (k, k) if runs else (0, k)
        while low < high:
            midpoint = (low + high) // 2
            if comes_before(x, k, order[midpoint], before, count, after):
                high = midpoint
            else:
                low = midpoint + 1
        for i in range(k, low, -1):
            order[i] = order[i - 1]
        order[low] = k
    for k in range(count):
        different += k == 0 or are_different(x, order[k], order[k - 1], before, count, after)
    result[0] = different


@jit(halves=WRITTEN)
def put_slices_in_order(
    x: Array, order: Array, values: Array, inverse: Array, counts: Array, before: int, count: int, after: int
) -> None:
    """The first of those that are equal, in this order; if there is room which of them each is, and how often it is."""
    different, at = values.size // (before * after), -1
    for k in range(count):
        if k == 0 or are_different(x, order[k], order[k - 1], before, count, after):
            at += 1
            for b in range(before):
                for w in range(after):
                    values[(b * different + at) * after + w] = x[(b * count + order[k]) * after + w]
            if counts.size:
                counts[at] = 0
        if counts.size:
            inverse[order[k]] = at
            counts[at] += 1
