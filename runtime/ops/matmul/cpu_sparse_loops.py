"""Products with matrices that are given by coordinates, as plans call them."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.row_sums import AHEAD, sum_of_rows

Array = np.ndarray


@jit
def coordinate_product(
    x: Array,
    row: Array,
    column: Array,
    b: Array,
    out: Array,
    numbers: int,
    count: int,
    depth: int,
    width: int,
    first: int,
    last: int,
) -> None:
    """out[row[k]] = sum of x[k] b[column[k]], in the order of k, for a range of columns of b.

    Raises:
        IndexError: a coordinate is out of bounds: the kernel in Python then says which.
    """
    positions = empty_row(np.int64(0), numbers + AHEAD)
    for k in range(numbers):
        if row[k] < 0 or row[k] >= count or column[k] < 0 or column[k] >= depth:
            raise IndexError
        positions[k] = column[k] * width + first
    positions[numbers:] = 0
    for i in range(count):
        part_of(out, i * width + first, last - first)[:] = 0
    start = 0
    while start < numbers:
        end = start + 1
        while end < numbers and row[end] == row[start]:
            end += 1
        sum_of_rows(b, positions, x, start, end, part_of(out, row[start] * width + first, last - first))
        start = end
