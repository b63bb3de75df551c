"""Loops that write by index on flat memory: into a tensor as it lies, and into a result that is made meanwhile.

Equal indices are written in one thread, in one order. The last two arguments are the range. What writes to a tensor
finds indices that `look_at` has seen, and looks again, as another thread may be changing them.

Raises:
    IndexError: an index is out of bounds, or another number of elements of a mask are true than there are values: the
        kernel in Python then says which.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.loops import copy_row
from ...kernels.jit import jit
from ...kernels.llvm.addresses import empty_row, part_of
from .cpu_write_loops import add_places, put_slices

Array = np.ndarray


@jit
def are_inside(index: Array, least: int, size: int) -> bool:
    """Whether all are in [least, size): one that is outside leaves a sign, of how far it is from the first or last."""
    wrong = 0
    for i in range(index.size):
        wrong |= (index[i] - least) | (size - 1 - index[i])
    return wrong >= 0


@jit
def look_at(index: Array, least: int, size: int, first: int, last: int) -> None:
    """Whether a range of indices is inside."""
    if not are_inside(part_of(index, first, last - first), least, size):
        raise IndexError


@jit
def put_row(row: Array, index: Array, values: Array, add: int) -> None:
    """row[index[i]] = values[i], or += with `add`."""
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
    """row[index[i]] = value, or += with `add`."""
    given, size = row.dtype.type(value), np.uint64(row.size)
    for i in range(index.size):
        to = np.uint64(index[i])  # a negative one is too large
        if to >= size:
            raise IndexError
        row[to] = row[to] + given if add else given


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
    """out = factor x, for a range of elements."""
    row, to, times = part_of(x, first, last - first), part_of(out, first, last - first), out.dtype.type(factor)
    for i in range(to.size):
        to[i] = row[i] * times


@jit
def put_by_one(
    out: Array,
    a: Array,
    values: Array,
    size: int,
    place: int,
    least: int,
    count: int,
    step: int,
    width: int,
    along: int,
    value_step: int,
    value_row: int,
    value_along: int,
    add: int,
    first: int,
    last: int,
) -> None:
    """out[b step + a[i] place + w along] = values[b value_step + i value_row + w value_along], or += with `add`, for
    lines (b, w)."""
    places, outside = zero_places(count), zero_places(1)
    add_places(part_of(a, 0, count), least, size, place, places, outside)
    if outside[0]:
        raise IndexError
    put_slices(out, places, values, step, width, along, value_step, value_row, value_along, add, first, last)


@jit
def fill_by_one(
    out: Array,
    a: Array,
    value: float,
    size: int,
    place: int,
    least: int,
    count: int,
    step: int,
    width: int,
    along: int,
    first: int,
    last: int,
) -> None:
    """out[b step + a[i] place + w along] = value, for lines (b, w)."""
    given = empty_row(out[0], 1)
    given[0] = out.dtype.type(value)
    put_by_one(out, a, given, size, place, least, count, step, width, along, 0, 0, 0, 0, first, last)


@jit
def put_rows(
    out: Array,
    a: Array,
    values: Array,
    size: int,
    place: int,
    least: int,
    count: int,
    width: int,
    value_row: int,
    value_along: int,
    add: int,
    first: int,
    last: int,
) -> None:
    """out[a[i], w] = values[i value_row + w value_along], or += with `add`, where that is one of a range of rows, which
    are `place` apart."""
    if not are_inside(part_of(a, 0, count), least, size):
        raise IndexError
    for i in range(count):
        r = a[i] + (size & (a[i] >> 63))
        if first <= r < last:
            row = part_of(out, r * place, width)
            if value_along:
                put_elements(row, part_of(values, i * value_row, width), add)
            else:
                given = values[i * value_row]
                for j in range(width):
                    row[j] = row[j] + given if add else given


@jit
def put_elements(row: Array, values: Array, add: int) -> None:
    """row = values, or += with `add`."""
    if add:
        for j in range(row.size):
            row[j] += values[j]
    else:
        copy_row(values, row)


@jit
def put_by_two(
    out: Array,
    a: Array,
    b: Array,
    values: Array,
    size: int,
    place: int,
    other: int,
    other_place: int,
    count: int,
    step: int,
    width: int,
    along: int,
    value_row: int,
    value_along: int,
    add: int,
    first: int,
    last: int,
) -> None:
    """out[a[i] place + b[i] other_place + w along], likewise; nothing lies before the indexed dimensions."""
    places, outside = zero_places(count), zero_places(1)
    add_places(a, -size, size, place, places, outside)
    add_places(b, -other, other, other_place, places, outside)
    if outside[0]:
        raise IndexError
    put_slices(out, places, values, step, width, along, 0, value_row, value_along, add, first, last)


@jit
def places_of_true(mask: Array, step: int) -> Array:
    """step i for each i where the mask is true."""
    places, n, i = zero_places(count_of_true(mask)), 0, 0
    while n < places.size and i < mask.size:  # another thread may be changing the mask
        places[n] = i * step
        n += int(mask[i])
        i += 1
    return places


@jit
def count_of_true(mask: Array) -> int:
    """How many elements are true."""
    total = 0
    for i in range(mask.size):
        total += int(mask[i])
    return total


@jit
def look_at_true(mask: Array, least: int, most: int) -> None:
    """Whether as many elements are true as may be."""
    if not least <= count_of_true(mask) <= most:
        raise IndexError


@jit
def put_true(
    out: Array,
    mask: Array,
    values: Array,
    place: int,
    least: int,
    most: int,
    step: int,
    width: int,
    along: int,
    value_step: int,
    value_row: int,
    value_along: int,
    add: int,
    first: int,
    last: int,
) -> None:
    """out[b step + i place + w along] = values[b value_step + n value_row + w value_along], or += with `add`, for lines
    (b, w), where the n-th true element is the i-th one."""
    places = places_of_true(mask, place)
    if not least <= places.size <= most:
        raise IndexError
    put_slices(out, places, values, step, width, along, value_step, value_row, value_along, add, first, last)


@jit
def zero_places(count: int) -> Array:
    """So many zeros."""
    places = empty_row(0, count)
    for i in range(count):
        places[i] = 0
    return places


@jit
def link(index: Array, size: int, first: int, following: Array, heads: Array) -> bool:
    """heads[r]: the first i with index[i] = first + r, -1 for none; following[i]: the next one. Whether all are
    inside."""
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
    """row += rows[i], and those that follow."""
    while i >= 0:
        given = part_of(rows, i * row.size, row.size)
        for j in range(row.size):
            row[j] += given[j]
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
        row, given, i = part_of(out, r * width, width), part_of(x, r * width, width), heads[r - first]
        if i < 0:
            copy_row(given, row)
        else:
            added = part_of(rows, i * width, width)
            for j in range(width):
                row[j] = given[j] + added[j]
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
