"""Loops of the transposes of reading by index: rows of gradients are added to where they were read.

Threads share columns and not rows: equal indices are then added in one thread, in one order. The last two arguments are
the range of columns.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import empty_row, part_of
from .cpu_take_loops import BLOCK, LINE, find_offsets, put_line

Array = np.ndarray


@jit
def add_columns(grad: Array, start: int, alike: int, target: Array) -> None:
    """target[j] += grad[start + j], or the one number of gradients that are all alike."""
    if alike:
        for j in range(target.size):
            target[j] += grad[0]
    else:
        source = part_of(grad, start, target.size)
        for j in range(target.size):
            target[j] += source[j]


@jit
def add_each(grad: Array, start: int, alike: int, offsets: Array, target: Array) -> None:
    """target[offset of i] += grad[start + i], or the one number of gradients that are all alike."""
    if alike:
        for i in range(offsets.size):
            target[np.int64(offsets[i])] += grad[0]
    else:
        source = part_of(grad, start, offsets.size)
        for i in range(offsets.size):
            target[np.int64(offsets[i])] += source[i]


@jit
def clear_columns(out: Array, width: int, first: int, last: int) -> None:
    """out[:, first:last] = 0 for rows of `width`."""
    rows, size = (1, out.size) if last - first == width else (out.size // width, last - first)
    for r in range(rows):
        row = part_of(out, r * width + first, size)
        for j in range(size):
            row[j] = 0


@jit
def give_back(
    grad: Array, lines: Array, count: int, outer: int, width: int, alike: int, out: Array, first: int, last: int
) -> bool:
    """out[b outer + offset of i + j] = the sum of the gradients of (b, i, j) with that place, for `count` indices i.

    Whether all indices are inside.
    """
    clear_columns(out, width, first, last)
    offsets = empty_row(np.uint64(0), min(BLOCK, count))
    for b in range(out.size // outer):
        for start in range(0, count, BLOCK):
            at = part_of(offsets, 0, min(BLOCK, count - start))
            if (b == 0 or count > BLOCK) and not find_offsets(lines, start, at):
                return False
            if width == 1:  # a call for each element would take most of the time
                add_each(grad, b * count + start, alike, at, part_of(out, b * outer, outer))
                continue
            for i in range(at.size):
                place, given = b * outer + np.int64(at[i]) + first, (b * count + start + i) * width + first
                add_columns(grad, given, alike, part_of(out, place, last - first))
    return True


@jit
def give_back_by_one(
    grad: Array, a: Array, out: Array, size: int, width: int, count: int, alike: int, first: int, last: int
) -> None:
    """out[b, a[i], j] = the sum of grad[b, i, j], on flat memory, of `out` in the shape (before, size, width).

    Raises:
        IndexError: an index is out of bounds.
    """
    lines = empty_row(0, LINE)
    put_line(lines, 0, a, size, size, width)
    if not give_back(grad, lines, count, size * width, width, alike, out, first, last):
        raise IndexError


@jit
def give_back_by_two(
    grad: Array,
    a: Array,
    b: Array,
    out: Array,
    size: int,
    other: int,
    width: int,
    count: int,
    alike: int,
    first: int,
    last: int,
) -> None:
    """out[k, a[i], b[i], j] = the sum of grad[k, i, j], on flat memory, of `out` in the shape
    (before, size, other, width).

    Raises:
        IndexError: an index is out of bounds.
    """
    lines = empty_row(0, 2 * LINE)
    put_line(lines, 0, a, size, size, other * width)
    put_line(lines, 1, b, other, other, width)
    if not give_back(grad, lines, count, size * other * width, width, alike, out, first, last):
        raise IndexError
