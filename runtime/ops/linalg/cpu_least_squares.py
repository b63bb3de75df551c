"""Least squares by LAPACK's gelsy: a QR decomposition with exchanges of columns, whose rank is estimated on the way."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.transpose import transpose_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, call_c, empty_row, item_size, part_of
from ...kernels.scalar.primitives import choose
from .cpu_blocks import BLOCK

Array = np.ndarray


@jit
def all_finite(row: Array) -> bool:
    """Whether there is neither an infinity nor a nan."""
    total = row.dtype.type(0)
    for i in range(row.size):
        total += 0 * row[i]
    return total == 0


@jit
def lstsq_batched(
    a: Array,
    b: Array,
    out: Array,
    ranks: Array,
    rcond: float,
    rows: int,
    columns: int,
    wide: int,
    single: int,
    double: int,
    first: int,
    last: int,
) -> None:
    """The shortest X with the least |A X - B| of some contiguous matrices, `wide` columns each, and the ranks of A.

    `single` and `double` are the addresses of gelsy for both dtypes.

    Raises:
        ValueError: a number of A is not finite: the kernel in Python then says so.
    """
    like = out.dtype.type(0)
    size, min_size, max_size = item_size(like), min(rows, columns), max(rows, columns)
    factors, right = empty_row(like, rows * columns), empty_row(like, max_size * wide)
    workspace_size = max(min_size + 2 * columns + BLOCK * (columns + 1), 2 * min_size + BLOCK * wide)
    work, limit, ints = empty_row(like, workspace_size), empty_row(like, 1), empty_row(np.int32(0), 7 + columns)
    at, limit[0] = address(ints), rcond
    for m in range(first, last):
        matrix = part_of(a, m * rows * columns, rows * columns)
        if not all_finite(matrix):
            raise ValueError
        transpose_at(like, address(matrix), columns * size, rows, columns, address(factors), rows * size)
        value = address(b) + m * rows * wide * size
        transpose_at(like, value, wide * size, rows, wide, address(right), max_size * size)
        ints[0], ints[1], ints[2], ints[3], ints[4] = rows, columns, wide, max_size, workspace_size
        for j in range(columns):
            ints[7 + j] = 0
        call_c(
            choose(like, single, double),
            (
                at,
                at + 4,
                at + 8,
                address(factors),
                at,
                address(right),
                at + 12,
                at + 28,
                address(limit),
                at + 20,
                address(work),
                at + 16,
                at + 24,
            ),
        )
        ranks[m] = ints[5]
        transpose_at(
            like, address(right), max_size * size, wide, columns, address(out) + m * columns * wide * size, wide * size
        )
