"""Loops that write by index on flat memory: into a tensor as it lies, and into a result that is made meanwhile.

Equal indices are written in one thread, in one order. The last two arguments are the range. What writes to a tensor
finds indices that `look_at` has seen, and looks again, as another thread may be changing them. An IndexError, of an
index out of bounds, or another number of true elements than there are values, lets the kernel in Python say which.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import empty_row, part_of
from .cpu_scatter_loops import add_offsets, put_slices


@jit
def are_inside(index: Array, lower_bound: int, size: int) -> bool:
    wrong = 0
    for i in range(index.size):
        wrong |= (index[i] - lower_bound) | (size - 1 - index[i])
    return wrong >= 0


@jit
def look_at(index: Array, lower_bound: int, size: int, first: int, last: int) -> None:
    if not are_inside(part_of(index, first, last - first), lower_bound, size):
        raise IndexError


@jit
def put_row(row: Array, index: Array, values: Array, add: int) -> None:
    if not are_inside(index, 0, row.size):
        raise IndexError
    if add:
        for i in range(index.size):
            row[np.uint64(index[i])] += values[i]
    else:
        for i in range(index.size):
            row[np.uint64(index[i])] = values[i]


@jit
def fill_row(row: Array, index: Array, value: float, add: int) -> None:
    arg, size = row.dtype.type(value), np.uint64(row.size)
    for i in range(index.size):
        to = np.uint64(index[i])  # a negative one is too large
        if to >= size:
            raise IndexError
        row[to] = row[to] + arg if add else arg


@jit
def scatter_rows(
    x: Array, index: Array, values: Array, out: Array, size: int, count: int, add: int, first: int, last: int
) -> None:
    """out[o] = x[o] but out[o, index[o, i]] = values[o, i], or x + values with `add`."""
    for o in range(first, last):
        row = part_of(out, o * size, size)
        copy_row(part_of(x, o * size, size), row)
        put_row(row, part_of(index, o * count, count), part_of(values, o * count, count), add)


@jit
def scatter_rows_onto_zeros(
    values: Array, index: Array, out: Array, size: int, count: int, alike: int, first: int, last: int
) -> None:
    """out[o, k] = the sum of values[o, i] with index[o, i] = k; of one value, where all are alike."""
    for o in range(first, last):
        row, at = part_of(out, o * size, size), part_of(index, o * count, count)
        for j in range(size):
            row[j] = 0
        if alike:
            fill_row(row, at, values[0], 1)
        else:
            put_row(row, at, part_of(values, o * count, count), 1)


@jit
def times_number(x: Array, out: Array, factor: float, first: int, last: int) -> None:
    row, to, times = part_of(x, first, last - first), part_of(out, first, last - first), out.dtype.type(factor)
    for i in range(to.size):
        to[i] = row[i] * times


@jit
def put_by_one(
    out: Array, a: Array, values: Array, size: int, position: int, lower_bound: int, count: int, step: int,
    width: int, along: int, value_step: int, value_row: int, value_along: int, add: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[b step + a[i] place + w along] = values[b value_step + i value_row + w value_along], or +=."""
    positions, outside = zero_offsets(count), zero_offsets(1)
    add_offsets(part_of(a, 0, count), lower_bound, size, position, positions, outside)
    if outside[0]:
        raise IndexError
    put_slices(out, positions, values, step, width, along, value_step, value_row, value_along, add, first, last)


@jit
def fill_by_one(
    out: Array, a: Array, value: float, size: int, position: int, lower_bound: int, count: int, step: int,
    width: int, along: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[b step + a[i] place + w along] = value, for lines (b, w)."""
    arg = empty_row(out[0], 1)
    arg[0] = out.dtype.type(value)
    put_by_one(out, a, arg, size, position, lower_bound, count, step, width, along, 0, 0, 0, 0, first, last)


@jit
def put_rows(
    out: Array, a: Array, values: Array, size: int, position: int, lower_bound: int, count: int, width: int,
    value_row: int, value_along: int, add: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[a[i], w] = values[i value_row + w value_along], or +=, for a range of rows that are `position` apart."""
    if not are_inside(part_of(a, 0, count), lower_bound, size):
        raise IndexError
    for i in range(count):
        r = a[i] + (size & (a[i] >> 63))
        if first <= r < last:
            row = part_of(out, r * position, width)
            if value_along:
                put_elements(row, part_of(values, i * value_row, width), add)
            else:
                value = values[i * value_row]
                for j in range(width):
                    row[j] = row[j] + value if add else value


@jit
def put_elements(row: Array, values: Array, add: int) -> None:
    if add:
        for j in range(row.size):
            row[j] += values[j]
    else:
        copy_row(values, row)


@jit
def put_by_two(
    out: Array, a: Array, b: Array, values: Array, size: int, position: int, other: int, other_position: int,
    count: int, step: int, width: int, along: int, value_row: int, value_along: int, add: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """out[a[i] place + b[i] other_position + w along], likewise; nothing lies before the indexed dimensions."""
    positions, outside = zero_offsets(count), zero_offsets(1)
    add_offsets(a, -size, size, position, positions, outside)
    add_offsets(b, -other, other, other_position, positions, outside)
    if outside[0]:
        raise IndexError
    put_slices(out, positions, values, step, width, along, 0, value_row, value_along, add, first, last)


@jit
def nonzero_offsets(mask: Array, step: int) -> Array:
    positions, n, i = zero_offsets(count_of_true(mask)), 0, 0
    while n < positions.size and i < mask.size:  # another thread may be changing the mask
        positions[n] = i * step
        n += int(mask[i])
        i += 1
    return positions


@jit
def count_of_true(mask: Array) -> int:
    total = 0
    for i in range(mask.size):
        total += int(mask[i])
    return total


@jit
def look_at_true(mask: Array, lower_bound: int, upper_bound: int) -> None:
    if not lower_bound <= count_of_true(mask) <= upper_bound:
        raise IndexError


@jit
def put_true(
    out: Array, mask: Array, values: Array, position: int, lower_bound: int, upper_bound: int, step: int,
    width: int, along: int, value_step: int, value_row: int, value_along: int, add: int, first: int, last: int,
) -> None:  # fmt: skip
    """The same where the n-th true element is the i-th one."""
    positions = nonzero_offsets(mask, position)
    if not lower_bound <= positions.size <= upper_bound:
        raise IndexError
    put_slices(out, positions, values, step, width, along, value_step, value_row, value_along, add, first, last)


@jit
def zero_offsets(count: int) -> Array:
    positions = empty_row(0, count)
    for i in range(count):
        positions[i] = 0
    return positions


@jit
def link(index: Array, size: int, first: int, following: Array, heads: Array) -> bool:
    """heads[r]: the first i with index[i] = first + r, or -1; following[i]: the next one. Whether all are inside."""
    wrong = 0
    for r in range(heads.size):
        heads[r] = -1
    for n in range(index.size):
        i = index.size - 1 - n
        r = index[i] - first
        wrong |= index[i] | (size - 1 - index[i])
        if 0 <= r < heads.size:
            following[i] = heads[r]
            heads[r] = i
    return wrong >= 0


@jit
def add_linked(row: Array, rows: Array, i: int, following: Array) -> None:
    while i >= 0:
        value = part_of(rows, i * row.size, row.size)
        for j in range(row.size):
            row[j] += value[j]
        i = following[i]


@jit
def add_rows_at(
    x: Array, index: Array, rows: Array, out: Array, size: int, width: int, count: int, first: int, last: int
) -> None:
    """out[r] = x[r] + the sum of rows[i] with index[i] = r, in the order of i."""
    heads, following = empty_row(0, last - first), empty_row(0, count)
    if not link(part_of(index, 0, count), size, first, following, heads):
        raise IndexError
    for r in range(first, last):
        row, value, i = part_of(out, r * width, width), part_of(x, r * width, width), heads[r - first]
        if i < 0:
            copy_row(value, row)
        else:
            added = part_of(rows, i * width, width)
            for j in range(width):
                row[j] = value[j] + added[j]
            add_linked(row, rows, following[i], following)


@jit
def add_rows_onto_zeros(
    rows: Array, index: Array, out: Array, size: int, width: int, count: int, ignored: int, first: int, last: int
) -> None:
    """out[r] = the sum of rows[i] with index[i] = r, in the order of i; row `ignored` stays 0."""
    heads, following = empty_row(0, last - first), empty_row(0, count)
    if not link(index, size, first, following, heads):
        raise IndexError
    for r in range(first, last):
        row = part_of(out, r * width, width)
        for j in range(width):
            row[j] = 0
        if r != ignored:
            add_linked(row, rows, heads[r - first], following)
