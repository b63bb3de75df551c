"""Loops that count numbers, and that search for values in ordered rows, block by block.

Where a loop raises IndexError, the kernel in Python says what is wrong, or counts in another way. Tables above a row
have the last elements of its blocks, so that each comparison of a block at once says in which block below to go on,
without a branch that depends on the elements.
"""

import numpy as np

from ...compiler.jit import READ, jit
from ...kernels.cpu.index_select import min_or_max
from ...kernels.llvm.addresses import clear, empty_row, part_of, zero_row
from ...kernels.llvm.reduce import LINEAR_SEARCH_LANES, count_above, count_not_below, lowest_bit

Array = np.ndarray
TABLES = 2  # of one thread: equal neighbours are counted in different ones, so neither waits for the other
BLOCK = 64  # elements of which the parts are found before they are counted


@jit
def count_into(line: Array, low: int, tables: Array, bits: Array, first: int, last: int) -> None:
    """tables[p, j % 2, line[j] - low] += 1 for the elements j of part p, for a range of parts. A table has a power of
    two of places. Of numbers that have no place there all bits but the last ones are dropped; bits[p] is what those of
    part p have in any of them, so who calls learns afterwards whether there were such."""
    parts, within = tables.shape[0], np.uint64(tables.shape[2] - 1)
    for p in range(first, last):
        start, stop = line.size * p // parts, line.size * (p + 1) // parts
        row, some = part_of(line, start, stop - start), np.uint64(0)
        one, other = tables[p, 0], tables[p, 1]
        for j in range(row.size // 2):
            a, b = np.uint64(row[2 * j] - low), np.uint64(row[2 * j + 1] - low)
            some |= a | b
            one[a & within] += 1
            other[b & within] += 1
        if row.size % 2:
            a = np.uint64(row[row.size - 1] - low)
            some |= a
            one[a & within] += 1
        bits[p] = some


@jit
def rank_of(line: Array, low: int, ranks: Array, out: Array, first: int, last: int) -> None:
    row, to = part_of(line, first, last - first), part_of(out, first, last - first)
    for j in range(row.size):
        to[j] = ranks[np.uint64(row[j] - low)]


@jit
def range_of(line: Array, result: Array) -> None:
    """The least number of a line, and how many numbers lie between that and the greatest, these included."""
    low = high = np.int64(line[0])
    for i in range(line.size):
        low, high = min(low, np.int64(line[i])), max(high, np.int64(line[i]))
    result[0], result[1] = low, high - low + 1


@jit
def bins_needed(line: Array, result: Array, minlength: int, max_bin: int) -> None:
    """result[2] = the number of bins; an IndexError where a number is negative, or so great that it takes too many."""
    range_of(line, result)
    needed = max(result[0] + result[1], minlength)
    if result[0] < 0 or needed > max_bin or result[1] < 1:
        raise IndexError
    result[2] = needed


@jit
def count_from(line: Array, low: int, counts: Array) -> None:
    """counts[k] = how often low + k is in the line; equal neighbours are counted apart, where there are many."""
    clear(counts)
    size, half = counts.size, 0
    if line.size > size:
        half, others = line.size // 2, zero_row(0, size)
        for j in range(half):
            counts[np.uint64(np.int64(line[2 * j]) - low)] += 1
            others[np.uint64(np.int64(line[2 * j + 1]) - low)] += 1
        for k in range(size):
            counts[k] += others[k]
    for j in range(2 * half, line.size):
        counts[np.uint64(np.int64(line[j]) - low)] += 1


@jit
def counts_of_bins(line: Array, counts: Array) -> None:
    count_from(line, 0, counts)


@jit
def even_counts(line: Array, out: Array, lowest: float, highest: float) -> None:
    """Counts in out.size equal parts of a range, or if empty of the elements' own: an IndexError if not finite."""
    kind, bins = line.dtype.type, out.size
    if lowest == highest and line.size:
        lowest, highest = np.float64(min_or_max(line, -1)), np.float64(min_or_max(line, 1))
        if not (highest - highest == 0 and lowest - lowest == 0):
            raise IndexError
    if lowest == highest:
        lowest, highest = lowest - 1.0, highest + 1.0
    low, high, counts, positions = kind(lowest), kind(highest), zero_row(0, bins + 1), zero_row(np.int32(0), BLOCK)
    for begin in range(0, line.size, BLOCK):
        row = part_of(line, begin, min(BLOCK, line.size - begin))
        for i in range(row.size):
            part = (row[i] - low) * kind(bins) / (high - low)
            position = np.int32(part if part < kind(bins) else kind(bins - 1)) if part > 0 else np.int32(0)
            positions[i] = position if row[i] >= low and row[i] <= high else np.int32(bins)
        for i in range(row.size):
            counts[np.uint64(positions[i])] += 1
    for k in range(bins):
        out[k] = counts[k]


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
    buffer, count = LINEAR_SEARCH_LANES, length
    while count > LINEAR_SEARCH_LANES:
        count //= LINEAR_SEARCH_LANES
        buffer += (count // LINEAR_SEARCH_LANES + 1) * LINEAR_SEARCH_LANES
    return buffer


@jit
def put_tables(row: Array, table: Array, shape: Array) -> int:
    """Fill the tables above a row; how many there are. A row shorter than a block is copied to the first one. shape[2
    l] is where the table of a level begins, shape[2 l + 1] how many elements of it count: those behind may be anything,
    as who goes beyond what counts is brought back."""
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
    # The last block is a whole one: what it has of the one before comes before the value.
    last = max(length - LINEAR_SEARCH_LANES, 0)
    for i in range(values.size):
        value, position = values[i], 0
        for level in range(top, 0, -1):
            start = LINEAR_SEARCH_LANES * position
            before = come_before(table, shape[2 * level] + start, value, right)
            position = min(start + before, shape[2 * level + 1])
        start = min(LINEAR_SEARCH_LANES * position, last)
        out[i] = min(start + come_before(row, start, value, right), length)


@jit
def come_before(row: Array, start: int, value: float, right: bool) -> int:
    return lowest_bit(count_above(row, start, value) if right else count_not_below(row, start, value))


@jit
def bisect(row: Array, values: Array, right: bool, out: Array) -> None:
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
    for start in range(first, last, MATCHED):
        count = min(MATCHED, last - start)
        row, to, none = part_of(x, start, count), part_of(out, start, count), invert != 0
        for i in range(count):
            to[i] = none
        for k in range(result.size):
            requested = result[k]
            for i in range(count):
                to[i] = not none if row[i] == requested else to[i]
