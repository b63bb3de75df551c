"""Loops that write elements at one index along a dimension each, or join them with what is there.

Tensors are flat memory, and lie in lines: along the dimension that is indexed, for each place (o, w) before and behind
it. A tensor has a step from one place before the dimension to the next, one along it and one behind it; an index whose
step behind it is 0 chooses whole slices. A table has, of `lines`: the size of the dimension, how many indices there are
along it, how many places behind it, and the steps of the tensor, of the index and of the values. Each line is written
by one thread, in the order of its indices. Places in memory are unsigned, so nobody asks whether they count from the
end. An IndexError lets the kernel in Python say which index is out of bounds.
"""

from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import lines_of
from ...kernels.llvm.addresses import part_of, zero_row
from ...kernels.scalar import maximum, minimum
from .cpu_mask import BLOCK

Array = np.ndarray
# What becomes of an element and one that goes there: the last one, or the first one, stands alone, or they are joined.
LAST, FIRST, SUM, PRODUCT, AMAX, AMIN = range(6)
EXCLUDE_SELF = (
    8  # more: the first slice that goes to a place stands alone, and the others are joined with it; of slices whose
)
# elements lie side by side
COLUMNS = 16  # that are counted together


@jit
def combined_by(old: Any, value: Any, how: int) -> Any:
    if how == SUM:
        return old + value
    if how == PRODUCT:
        return old * value
    if how == AMAX:
        return maximum(old, value)
    return minimum(old, value) if how == AMIN else value


@jit
def checked_index(index: Array, at: int, size: int) -> Any:
    result = np.uint64(index[np.uint64(at)])  # a negative one is too large
    if result >= np.uint64(size):
        raise IndexError
    return np.int64(result)


@jit
def join_along(out: Array, index: Array, values: Array, lines: Array, how: int, first: int, last: int) -> None:
    """out[o, index[o, i, w], w] is joined with values[o, i, w], for lines (o, w)."""
    size, count, after, line = lines[0], lines[1], lines[2], first
    out_before, position, out_step = lines[3], lines[4], lines[5]
    index_before, index_along, index_step = lines[6], lines[7], lines[8]
    before, along, step = lines[9], lines[10], lines[11]
    while line < last:
        o, w, width = line // after, line % after, lines_of(after, line, last)
        to, at, value = o * out_before + w * out_step, o * index_before + w * index_step, o * before + w * step
        if how >= EXCLUDE_SELF:
            join_slices(out, index, values, size, count, width, to, position, at, index_along, value, along, how)
        elif width == 1 and position == 1 and index_along == 1 and along == 1 and how != FIRST:
            join_line(part_of(out, to, size), part_of(index, at, count), part_of(values, value, count), how)
        elif width == 1:
            join_indices(out, index, values, size, count, to, position, 0, at, index_along, value, along, how)
        elif index_step == 0 and out_step == 1 and step == 1:
            join_slices(out, index, values, size, count, width, to, position, at, index_along, value, along, how)
        else:
            for n in range(count):
                i = count - 1 - n if how == FIRST else n
                here, source = at + i * index_along, value + i * along
                join_indices(
                    out, index, values, size, width, to, position, out_step, here, index_step, source, step, how
                )
        line += width


@jit
def join_line(line: Array, index: Array, values: Array, how: int) -> None:
    """line[index[i]] is joined with values[i]: a loop for each way, which else is asked for at each place."""
    if how == SUM:
        join_each(line, index, values, SUM)
    elif how == PRODUCT:
        join_each(line, index, values, PRODUCT)
    elif how == AMAX:
        join_each(line, index, values, AMAX)
    elif how == AMIN:
        join_each(line, index, values, AMIN)
    else:
        join_each(line, index, values, LAST)


@jit
def join_each(line: Array, index: Array, values: Array, how: int) -> None:
    for i in range(index.size):
        here = np.uint64(checked_index(index, i, line.size))
        line[here] = combined_by(line[here], values[i], how)


@jit
def join_indices(
    out: Array, index: Array, values: Array, size: int, count: int, to: int, position: int, out_step: int, at: int,
    index_step: int, value: int, step: int, how: int,
) -> None:  # fmt: skip
    for n in range(count):
        i = count - 1 - n if how == FIRST else n
        here = np.uint64(to + checked_index(index, at + i * index_step, size) * position + i * out_step)
        out[here] = combined_by(out[here], values[np.uint64(value + i * step)], how)


@jit
def join_slices(
    out: Array, index: Array, values: Array, size: int, count: int, width: int, to: int, position: int, at: int,
    index_along: int, value: int, along: int, how: int,
) -> None:  # fmt: skip
    seen = zero_row(np.uint8(0), size if how >= EXCLUDE_SELF else 0)
    for n in range(count):
        i = count - 1 - n if how == FIRST else n
        chosen = checked_index(index, at + i * index_along, size)
        row, one = part_of(out, to + chosen * position, width), part_of(values, value + i * along, width)
        if how >= EXCLUDE_SELF and seen[chosen] == 0:
            seen[chosen] = 1
            join_slice(row, one, LAST)
        else:
            join_slice(row, one, how % EXCLUDE_SELF)


@jit
def join_slice(row: Array, value: Array, how: int) -> None:
    for j in range(row.size):
        row[j] = combined_by(row[j], value[j], how)


@jit
def fill_along(out: Array, index: Array, lines: Array, value: float, first: int, last: int) -> None:
    """out[o, index[o, i, w], w] = value, for lines (o, w)."""
    size, count, after, line = lines[0], lines[1], lines[2], first
    out_before, position, out_step = lines[3], lines[4], lines[5]
    index_before, index_along, index_step, arg = lines[6], lines[7], lines[8], out.dtype.type(value)
    while line < last:
        o, w, width = line // after, line % after, lines_of(after, line, last)
        to, at = o * out_before + w * out_step, o * index_before + w * index_step
        if width == 1:
            fill_indices(out, index, arg, size, count, to, position, 0, at, index_along)
        else:
            for i in range(count):
                fill_indices(out, index, arg, size, width, to, position, out_step, at + i * index_along, index_step)
        line += width


@jit
def fill_indices(
    out: Array, index: Array, value: Any, size: int, count: int, to: int, position: int, out_step: int, at: int,
    index_step: int,
) -> None:  # fmt: skip
    for i in range(count):
        out[np.uint64(to + checked_index(index, at + i * index_step, size) * position + i * out_step)] = value


@jit
def share_along(out: Array, index: Array, lines: Array, more: int, full: int, first: int, last: int) -> None:
    """Elements are divided by how many indices choose them, and `more`; `whole` numbers downwards."""
    size, count, after, line = lines[0], lines[1], lines[2], first
    out_before, position, out_step = lines[3], lines[4], lines[5]
    index_before, index_along, index_step = lines[6], lines[7], lines[8]
    while line < last:
        o, w, width = line // after, line % after, lines_of(after, line, last)
        if index_step:
            width = min(width, COLUMNS)
        counted = width if index_step else 1
        counts = zero_row(0, size * counted)
        for i in range(count):
            for j in range(counted):
                at = o * index_before + i * index_along + (w + j) * index_step
                counts[np.uint64(checked_index(index, at, size) * counted + j)] += 1
        for k in range(size):
            for j in range(width):
                n = counts[np.uint64(k * counted + (j if index_step else 0))]
                here = np.uint64(o * out_before + k * position + (w + j) * out_step)
                if n and full:
                    out[here] = out[here] // (n + more)
                elif n:
                    out[here] = out[here] / (n + more)
        line += width


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
    part = part_of(index, first, last - first)
    low, high = np.int64(0), np.int64(size - 1)
    for i in range(part.size):
        k = np.int64(part[i])
        low, high = k if k < low else low, k if k > high else high
    if low < 0 or high >= size:
        outside[0] = 1


@jit
def put_slices(
    out: Array, positions: Array, values: Array, step: int, width: int, along: int, value_step: int, value_row: int,
    value_along: int, add: bool, first: int, last: int,
) -> None:  # fmt: skip
    """out[b step + places[i] + w along] = values[b value_step + i value_row + w value_along], or +=."""
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
