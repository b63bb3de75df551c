"""Loops that search for values in ordered rows, block by block.

Tables above a row have the last elements of its blocks, so that each comparison of a block at once says in which block
below to go on, without a branch that depends on the elements.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import READ, jit
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.lane_bits import LINEAR_SEARCH_LANES, count_above, count_not_below, lowest_bit

Array = np.ndarray

MAX_LEVELS = 16  # of tables: more than there is memory for
MATCHED = 1024  # elements that are compared with one and then with the next
WORTH = 16  # elements of a row for which there must be a value, where tables above it are made


@jit
def search(rows: Array, values: Array, out: Array, right: int, length: int, each: int, first: int, last: int) -> None:
    """The places of values in their rows, each of which has `each` values; the last two say which of these."""
    table, shape = empty_row(rows[0] if rows.size else values[0], next_capacity(length)), empty_row(0, 2 * MAX_LEVELS)
    position = first
    while position < last:
        count = min(last, (position // each + 1) * each) - position
        row = part_of(rows, position // each * length, length)
        some, to = part_of(values, position, count), part_of(out, position, count)
        if length > WORTH * each or not is_ordered(row):
            bisect(row, some, right != 0, to)
        else:
            top = put_tables(row, table, shape)
            search_blocks(table if length < LINEAR_SEARCH_LANES else row, table, shape, top, some, right != 0, to)
        position += count


@jit
def is_ordered(row: Array) -> bool:
    """Whether a row has elements, in order, none of them nan; what is found in others is what halves say."""
    lower, higher, wrong = part_of(row, 0, row.size - 1), part_of(row, 1, row.size - 1), 0
    for i in range(lower.size):
        wrong += not lower[i] <= higher[i]
    return row.size > 0 and row[0] == row[0] and wrong == 0


@jit
def next_capacity(length: int) -> int:
    """How many elements the tables above a row have: whole blocks, one more than are full of elements."""
    buffer, count = LINEAR_SEARCH_LANES, length
    while count > LINEAR_SEARCH_LANES:
        count //= LINEAR_SEARCH_LANES
        buffer += (count // LINEAR_SEARCH_LANES + 1) * LINEAR_SEARCH_LANES
    return buffer


@jit
def put_tables(row: Array, table: Array, shape: Array) -> int:
    """Fill the tables above a row; how many there are. A row shorter than a block is copied to the first one.

    shape[2 l] is where the table of a level begins, shape[2 l + 1] how many elements of it count: those behind may be
    anything, as who goes beyond what counts is brought back.
    """
    shape[0], shape[1] = 0, row.size
    if row.size < LINEAR_SEARCH_LANES:
        for i in range(row.size):
            table[i] = row[i]
    level, start, count = 0, 0, row.size
    below = row
    while count > LINEAR_SEARCH_LANES:
        count //= LINEAR_SEARCH_LANES
        level += 1
        above = part_of(table, start, count)
        for i in range(count):
            above[i] = below[i * LINEAR_SEARCH_LANES + LINEAR_SEARCH_LANES - 1]
        shape[2 * level], shape[2 * level + 1] = start, count
        below, start = above, start + (count // LINEAR_SEARCH_LANES + 1) * LINEAR_SEARCH_LANES
    return level


@jit
def search_blocks(row: Array, table: Array, shape: Array, top: int, values: Array, right: bool, out: Array) -> None:
    """Each value in one row: how many elements of a block come before it is the block of the table below."""
    length = shape[1]
    last = max(
        length - LINEAR_SEARCH_LANES, 0
    )  # the last block is a whole one: what it has of the one before comes before the value
    for i in range(values.size):
        value, position = values[i], 0
        for level in range(top, 0, -1):
            position = min(
                LINEAR_SEARCH_LANES * position
                + come_before(table, shape[2 * level] + LINEAR_SEARCH_LANES * position, value, right),
                shape[2 * level + 1],
            )
        start = min(LINEAR_SEARCH_LANES * position, last)
        out[i] = min(start + come_before(row, start, value, right), length)


@jit
def come_before(row: Array, start: int, value: float, right: bool) -> int:
    """How many of the elements of a block, which are in order, come before a value."""
    return lowest_bit(count_above(row, start, value) if right else count_not_below(row, start, value))


@jit
def bisect(row: Array, values: Array, right: bool, out: Array) -> None:
    """Each value in a row by halves; nan is greater than everything."""
    for i in range(values.size):
        value, low, high = values[i], 0, row.size
        while low < high:
            midpoint = (low + high) // 2
            entry = row[midpoint]
            if entry > value or (entry >= value and not right):
                high = midpoint
            else:
                low = midpoint + 1
        out[i] = low


@jit(halves=READ)
def match(x: Array, result: Array, out: Array, invert: int, first: int, last: int) -> None:
    """out = whether an element equals one of those that are to be found, or with `invert` none, for a range of them."""
    for start in range(first, last, MATCHED):
        count = min(MATCHED, last - start)
        row, to, none = part_of(x, start, count), part_of(out, start, count), invert != 0
        for i in range(count):
            to[i] = none
        for k in range(result.size):
            requested = result[k]
            for i in range(count):
                to[i] = not none if row[i] == requested else to[i]
