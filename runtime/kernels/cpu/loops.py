"""Loops over contiguous arrays that NumPy has no fast call for. An array is seen as (before, along, after); a loop does
the lines along from `first` to `last`, counted through (before, after)."""

import numpy as np

from ...compiler.jit import jit
from ..llvm.addresses import empty_row, part_of
from ..llvm.gather import take_into
from ..llvm.reduce import range_of
from ..scalar import exp, exp_fast_range
from .sums import REORDER

Array = np.ndarray
BLOCK = 512  # indices that are looked at before any of them is used
ROW_INDEX_THRESHOLD = 64  # indices of a row, for which it is not worth while to begin anew


# Of a logarithm of a sum of exponentials beyond this size, the rounding is seen in what exponentials less it add up to:
# they are divided by their sum.
EXACT_SHIFT = 32.0


@jit
def lines_of(after: int, first: int, last: int) -> int:
    return min(after - first % after, last - first)


@jit
def copy_run(x: Array, start: int, out: Array, offset: int, count: int) -> None:
    row, to = part_of(x, start, count), part_of(out, offset, count)
    for i in range(count):
        to[i] = row[i]


@jit
def copy_row(row: Array, to: Array) -> None:
    """to = row, of one size; for `to[:] = row` numba compiles a message for sizes that differ, and strings with it."""
    for i in range(to.size):
        to[i] = row[i]


@jit
def add_rows(out: Array, indices: Array, values: Array, first: int, last: int) -> None:
    for i in range(indices.size):
        target, source = out[indices[i], first:last], values[i, first:last]
        for j in range(target.size):
            target[j] += source[j]


@jit
def copy_inside(indices: Array, size: int, to: Array) -> bool:
    """Copy indices, each read once, as others may write meanwhile; one outside of `size` leaves a sign in `wrong`."""
    wrong = 0
    for i in range(indices.size):
        index = indices[i]
        to[i] = index
        wrong |= index | (size - 1 - index)
    return wrong >= 0


@jit
def gather_along(a: Array, indices: Array, out: Array, outside: Array, first: int, last: int) -> None:
    size, count, after = a.shape[1], indices.shape[1], indices.shape[2]
    if after == 1:
        inside = gather_lines(a, indices, out, first, last)
        outside[0] = outside[0] if inside else 1
        return
    for k in range(first, last):
        o, i = k // count, k % count
        at, line = indices[o, i], out[o, i]
        for j in range(at.size):
            index = at[j]
            if index < 0 or index >= size:
                outside[0] = 1
                return
            line[j] = a[o, index, j]


@jit
def gather_lines(a: Array, indices: Array, out: Array, first: int, last: int) -> bool:
    """`gather_along` where nothing comes after, by blocks; False, and it stops, where an index is not inside."""
    size, count, known, k = a.shape[1], indices.shape[1], empty_row(0, BLOCK), first
    while k < last:
        o, i = k // count, k % count
        elements = min(BLOCK, last - k) if count < ROW_INDEX_THRESHOLD else min(BLOCK, last - k, count - i)
        offsets, row = part_of(known, 0, elements), part_of(a, o * size, a.size - o * size)
        if not copy_inside(part_of(indices, k, elements), size, offsets):
            return False
        if count < ROW_INDEX_THRESHOLD:
            add_row_starts(offsets, i, count, size)
        take_into(row, offsets, part_of(out, k, elements))
        k += elements
    return True


@jit
def add_row_starts(offsets: Array, skip: int, count: int, size: int) -> None:
    """places[i] += size times the row of element i; a row has `count` of them, of which the first one lacks `skip`."""
    if count == 1:
        for i in range(offsets.size):
            offsets[i] += i * size
        return
    start, row = 0, 0
    while start < offsets.size:
        own = part_of(offsets, start, min(count - skip, offsets.size - start))
        for i in range(own.size):
            own[i] += row * size
        start, row, skip = start + own.size, row + 1, 0


@jit
def write_along(out: Array, indices: Array, source: Array, add: bool, outside: Array, first: int, last: int) -> None:
    """out[o, indices[o, i, j], j] = or += source[o, i, j], in order; `outside[0]` where one is out of bounds."""
    size, count, after, line = out.shape[1], indices.shape[1], indices.shape[2], first
    while line < last:
        o, start, width = line // after, line % after, lines_of(after, line, last)
        if after == 1:
            row, at, value = (
                part_of(out, o * size, size),
                part_of(indices, o * count, count),
                part_of(source, o * count, count),
            )
            for i in range(at.size):
                index = at[i]
                if index < 0 or index >= size:
                    outside[0] = 1
                    return
                row[index] = row[index] + value[i] if add else value[i]
        else:
            for i in range(count):
                here = (o * count + i) * after + start
                at, value = part_of(indices, here, width), part_of(source, here, width)
                for j in range(at.size):
                    index = at[j]
                    if index < 0 or index >= size:
                        outside[0] = 1
                        return
                    to = part_of(out, (o * size + index) * after + start + j, 1)
                    to[0] = to[0] + value[j] if add else value[j]
        line += width


NORMAL_EXP_LIMIT = -87.0  # of which and of greater numbers the exponential is a normal one


@jit
def exponentials(row: Array, low: float, top: float, out: Array) -> None:
    if low - top > NORMAL_EXP_LIMIT:
        for j in range(out.size):
            out[j] = exp_fast_range(row[j] - top)
    else:
        for j in range(out.size):
            out[j] = exp(row[j] - top)


@jit(fastmath=REORDER)
def exponential_sum(row: Array, low: float, top: float) -> float:
    total = row.dtype.type(0)
    if low - top > NORMAL_EXP_LIMIT:
        for j in range(row.size):
            total += exp_fast_range(row[j] - top)
    else:
        for j in range(row.size):
            total += exp(row[j] - top)
    return total


@jit
def beside_infinity(x: float) -> float:
    """x less a maximum of inf: 0 for inf itself, so that infinities share alike, else -inf."""
    return x if x != x else type(x)(0) if x == np.inf else type(x)(-np.inf)


@jit
def is_infinity(x: float) -> float:
    """exp(beside_infinity(x)): 1 for inf, else 0; nan for nan."""
    return x if x != x else type(x)(x == np.inf)


@jit
def infinities(row: Array) -> float:
    """How many there are, nan beside a nan: the sum of exponentials of a row with maximum inf."""
    total = row.dtype.type(0)
    for j in range(row.size):
        total += is_infinity(row[j])
    return total


@jit
def has_infinity(row: Array) -> bool:
    """Whether an element is inf, or the first one nan, which hides the others."""
    return not range_of(row)[1] < np.inf


@jit
def scale(row: Array, factor: float, out: Array) -> None:
    for j in range(out.size):
        out[j] = row[j] * factor
