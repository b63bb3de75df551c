"""Loops that find the distinct numbers of a line, or slices along a dimension, and runs of equal ones.

Whole numbers that lie close together are counted in a table; others, and floats, are sorted: in order, equal ones are
neighbours. Slices are compared element by element; nan is greater than all numbers, and makes a slice that equals none.
"""

import numpy as np

from ...compiler.jit import READ, WRITTEN, jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.sort_keys import order_key
from .cpu_counting_loops import count_from, range_of
from .cpu_loops import order_keys
from .cpu_ranks import SHORT, key_buffers, put_in_order


@jit
def put_order_of(keys: Array, order: Array) -> None:
    if keys.size > SHORT:
        order_keys(keys, order)
        return
    buffer, ranks = key_buffers(0.0, keys.size)
    for i in range(keys.size):
        buffer[i] = keys[i]
    put_in_order(buffer, ranks, order)


@jit
def changes(line: Array, order: Array) -> int:
    """How many different elements there are, which are neighbours in this order; nan equals nothing."""
    different = 1
    for i in range(1, order.size):
        different += line[order[i]] != line[order[i - 1]]
    return different


@jit
def order_floats(line: Array, order: Array, result: Array) -> None:
    keys = empty_row(0, line.size)
    for i in range(line.size):
        keys[i] = np.int64(order_key(line[i]))
    put_order_of(keys, order)
    result[0], result[1], result[2] = 0, 0, changes(line, order)


@jit
def count_or_order(line: Array, order: Array, result: Array, table: Array) -> None:
    """How often each number between the least and the greatest is in the line, if there is room in the table; else the
    indices in order, and no such numbers. The last of what is found is how many are different."""
    range_of(line, result)
    if 1 <= result[1] <= table.size:
        counts, different = part_of(table, 0, result[1]), 0
        count_from(line, result[0], counts)
        for k in range(counts.size):
            different += counts[k] != 0
        result[2] = different
        return
    keys = empty_row(0, line.size)
    for i in range(line.size):
        keys[i] = np.int64(line[i])
    put_order_of(keys, order)
    result[1], result[2] = 0, changes(line, order)


@jit
def put_distinct(
    line: Array, order: Array, result: Array, table: Array, values: Array, inverse: Array, counts: Array
) -> None:
    """The distinct numbers, and if there is room where each is among them, and how often it is."""
    if result[1] == 0:
        put_ordered(line, order, values, inverse, counts)
        return
    ranks, at = part_of(table, 0, result[1]), 0
    for k in range(ranks.size):
        count = ranks[k]
        ranks[k] = at
        if count != 0:
            values[at] = line.dtype.type(result[0] + k)
            if counts.size:
                counts[at] = count
            at += 1
    for j in range(inverse.size):
        inverse[j] = ranks[np.uint64(np.int64(line[j]) - result[0])]


@jit(halves=WRITTEN)
def put_ordered(line: Array, order: Array, values: Array, inverse: Array, counts: Array) -> None:
    """The first of those that are equal, in this order; if there is room where each is among them, and how often."""
    at, begin = 0, 0
    values[0] = line[order[0]]
    for i in range(order.size):
        if i > 0 and line[order[i]] != line[order[i - 1]]:
            if counts.size:
                counts[at] = i - begin
            at, begin = at + 1, i
            values[at] = line[order[i]]
        if inverse.size:
            inverse[order[i]] = at
    if counts.size:
        counts[at] = order.size - begin


@jit(halves=READ)
def count_runs(line: Array, result: Array) -> None:
    row, before, runs = part_of(line, 1, line.size - 1), part_of(line, 0, line.size - 1), 1
    for i in range(row.size):
        runs += row[i] != before[i]
    result[0] = runs


@jit(halves=WRITTEN)
def put_runs(line: Array, values: Array, inverse: Array, counts: Array) -> None:
    at, begin = 0, 0
    values[0], inverse[0] = line[0], 0
    for i in range(1, line.size):
        if line[i] != line[i - 1]:
            counts[at] = i - begin
            at, begin = at + 1, i
            values[at] = line[i]
        inverse[i] = at
    counts[at] = line.size - begin


@jit(halves=READ)
def comes_before(x: Array, i: int, j: int, before: int, count: int, after: int) -> bool:
    for b in range(before):
        for w in range(after):
            one, other = x[(b * count + i) * after + w], x[(b * count + j) * after + w]
            if one != other and (one == one or other == other):
                return one < other or other != other
    return False


@jit(halves=READ)
def are_different(x: Array, i: int, j: int, before: int, count: int, after: int) -> bool:
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
