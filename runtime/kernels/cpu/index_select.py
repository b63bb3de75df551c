"""Rows of a contiguous table read and added to, and elements put at one index each. Indices may be negative; a loop
stops at the first out of bounds, and sets `outside[0]`. Last: the range of indices to read, or of columns to add to."""

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import bits, choose, from_bits, narrow
from ...device.threads.parallel_for import shared
from ..llvm.addresses import part_of
from ..llvm.gather import copy_elements
from . import loops

Array = np.ndarray
COLUMNS = 16  # of a table belong to one thread


@jit
def take_rows(
    table: Array, indices: Array, lower_bound: int, out: Array, outside: Array, first: int, last: int
) -> None:
    size = table.shape[0]  # no exception: the pool's threads have no GIL to raise it with
    for i in range(first, last):
        index = indices[i]
        if index < lower_bound or index >= size:
            outside[0] = 1
            return
        copy_elements(out[i], table[index + size if index < 0 else index])


@jit
def take_rows_of(
    x: Array, indices: Array, out: Array, rows: int, width: int, count: int, first: int, last: int
) -> None:
    """out[i] = x[indices[i]] on flat memory; an IndexError where one is out of bounds."""
    outside = np.zeros(1, np.int64)
    table, to = part_of(x, 0, rows * width).reshape((rows, width)), out.reshape((count, width))
    take_rows(table, indices, 0, to, outside, first, last)
    if outside[0]:
        raise IndexError


@jit
def add_to_rows(
    table: Array, indices: Array, lower_bound: int, rows: Array, scale: float, outside: Array, first: int, last: int
) -> None:
    """table[indices[i]] += scale rows[i], in order. Threads share columns: equal indices are added in one order."""
    size = table.shape[0]
    for i in range(indices.size):
        index = indices[i]
        if index < lower_bound or index >= size:
            outside[0] = 1
            return
        source, target = rows[i, first:last], table[index + size if index < 0 else index, first:last]
        if scale == 1:
            for j in range(target.size):
                target[j] += source[j]
        else:
            for j in range(target.size):
                target[j] += table.dtype.type(scale) * source[j]


def put_along(table: Array, indices: Array, values: Array, add: bool) -> bool:
    wrong = np.zeros(1, np.int64)
    before, _, after = table.shape
    shared(
        loops.write_along,
        (table, indices, values, add, wrong),
        before * after,
        values.size,
        1 if after == 1 else COLUMNS,
    )
    return not wrong[0]


_INFINITE32, _INFINITE64 = np.int32(0x7F800000), np.int64(0x7FF0000000000000)


@jit
def min_or_max(row: np.ndarray, sign: int) -> float:
    """The greatest element of such a row, or with sign -1 the least, by integers; nan where there is one. -0 is less
    than 0. If any number is positive, the greatest integer is the greatest, else the least one is."""
    like, key = row.dtype.type(0), bits(row[0])
    unsigned, infinite = choose(like, np.uint32, np.uint64), choose(like, _INFINITE32, _INFINITE64)
    highest, lowest, top_key = key, key, unsigned(key)
    for j in range(row.size):
        key = bits(row[j])
        highest, lowest, top_key = max(highest, key), min(lowest, key), max(top_key, unsigned(key))
    if highest > infinite or top_key > unsigned(bits(-from_bits(like, infinite))):
        return np.nan
    if sign > 0:
        return np.float64(from_bits(like, highest if highest >= 0 else lowest))
    return np.float64(from_bits(like, narrow(like, top_key) if lowest < 0 else lowest))
