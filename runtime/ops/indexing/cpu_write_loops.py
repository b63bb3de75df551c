"""Loops that write by index, where their places have been found, and by mask; the last two arguments are the range.

Places in memory are unsigned, so nobody asks whether they count from the end.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.loops import lines_of
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from .cpu_mask_loops import BLOCK

Array = np.ndarray


@jit
def add_offsets(index: Array, lower_bound: int, size: int, step: int, positions: Array, outside: Array) -> None:
    """places[i] += step index[i], counted from the front; sets `outside[0]` where one is not in [least, size)."""
    low, high = lower_bound, size - 1
    for i in range(index.size):
        k = index[i]
        low, high = k if k < low else low, k if k > high else high
        positions[i] += (k + (size & (k >> 63))) * step  # k >> 63: all bits of a negative one
    if low < lower_bound or high >= size:
        outside[0] = 1


@jit
def find_outside(index: Array, size: int, outside: Array, first: int, last: int) -> None:
    """Sets `outside[0]` where an index is not in [0, size)."""
    part = part_of(index, first, last - first)
    low, high = np.int64(0), np.int64(size - 1)
    for i in range(part.size):
        k = np.int64(part[i])
        low, high = k if k < low else low, k if k > high else high
    if low < 0 or high >= size:
        outside[0] = 1


@jit
def put_slices(
    out: Array,
    positions: Array,
    values: Array,
    step: int,
    width: int,
    along: int,
    value_step: int,
    value_row: int,
    value_along: int,
    add: bool,
    first: int,
    last: int,
) -> None:
    """out[b step + places[i] + w along] = values[b value_step + i value_row + w value_along], or += with `add`.

    For lines (b, w) of `width` each, in the order of i: equal places are written in one thread, in one order.
    """
    line = first
    while line < last:
        b, w, count = line // width, line % width, lines_of(width, line, last)
        target, source = b * step + w * along, b * value_step + w * value_along
        if count == 1:
            for i in range(positions.size):
                to, value = np.uint64(target + positions[i]), values[np.uint64(source + i * value_row)]
                out[to] = out[to] + value if add else value
        elif along == 1 and value_along == 1:
            for i in range(positions.size):
                row, part = part_of(out, target + positions[i], count), part_of(values, source + i * value_row, count)
                if add:
                    for j in range(count):
                        row[j] += part[j]
                else:
                    for j in range(count):
                        row[j] = part[j]
        else:
            for i in range(positions.size):
                for j in range(count):
                    to = np.uint64(target + positions[i] + j * along)
                    value = values[np.uint64(source + i * value_row + j * value_along)]
                    out[to] = out[to] + value if add else value
        line += count


@jit
def fill_true(out: Array, mask: Array, value: Array, first: int, last: int) -> None:
    """out[i] = value[0] where the mask is true."""
    row, chosen, arg = part_of(out, first, last - first), part_of(mask, first, last - first), value[0]
    for i in range(row.size):
        if chosen[i]:
            row[i] = arg


@jit
def write_true(out: Array, mask: Array, starts: Array, x: Array, first: int, last: int) -> None:
    """The words of x, one after the other, written where the mask is true: those of block b from x[starts[b]] on."""
    for b in range(first, last):
        i, n, end = np.uint64(b * BLOCK), np.uint64(starts[b]), np.uint64(starts[b + 1])
        while n < end:
            chosen = np.uint64(0) - np.uint64(mask[i])  # all bits or none: a choice would become a branch
            out[i] = (x[n] & chosen) | (out[i] & ~chosen)
            n += np.uint64(mask[i])
            i += np.uint64(1)
