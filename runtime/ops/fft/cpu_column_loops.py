"""Transforms of columns: along a dimension that others follow, block by block of these."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.fft_butterflies import WIDEST
from .cpu_loops import PLANE_OFFSET, REAL, all_passes, ended, join, rows_begun, rows_of_steps, split

Array = np.ndarray


@jit
def transform_columns(
    x: Array,
    steps: Array,
    table: Array,
    n: int,
    after: int,
    block: int,
    kind: int,
    inverse: bool,
    scale: float,
    out: Array,
    first: int,
    last: int,
) -> None:
    """The transforms of columns of matrices with n rows of `after` complex numbers: a range of blocks of columns."""
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    plane = (block * n * size + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET + PLANE_OFFSET
    space = empty_row(like, (4 * plane + 2 * PLANE_OFFSET) // size)
    for i in range(space.size):
        space[i] = 0
    transform_columns_in(x, steps, table, n, after, block, kind, inverse, like + scale, out, first, last, plane, space)


@jit
def transform_columns_in(
    x: Array,
    steps: Array,
    table: Array,
    n: int,
    after: int,
    block: int,
    kind: int,
    inverse: bool,
    scale: float,
    out: Array,
    first: int,
    last: int,
    plane: int,
    space: Array,
) -> None:
    """`transform_columns` in memory for four planes."""
    like, size, blocks = x.dtype.type(0), item_size(x.dtype.type(0)), (after + block - 1) // block
    factor = x.dtype.type(scale)
    one = (address(space) + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    other, line, step = one + 2 * plane, block * size, 2 * after * size
    for k in range(first, last):
        start = k % blocks * block
        count, corner = min(block, after - start), k // blocks * n * after + start
        full = count == block and len(steps) > 1
        paired = full and steps[len(steps) - 1, 0] <= WIDEST
        begin = 1 if full and kind != REAL and steps[0, 0] <= WIDEST else 0
        end = len(steps) - (1 if paired else 0)
        if begin:
            rows_begun(steps, table, inverse, block, 1, plane, address(x) + 2 * corner * size, step, one)
        for i in range(0 if begin else n):
            real, imaginary = row_at(like, one + i * line, count), row_at(like, one + plane + i * line, count)
            if kind == REAL:
                row = part_of(x, corner + i * after, count)
                for j in range(count):
                    real[j] = row[j]
                    imaginary[j] = 0
            else:
                split(part_of(x, 2 * (corner + i * after), 2 * count), real, imaginary)
        at = all_passes(steps[begin:end], table, inverse, block, 1, plane, one, other)
        if paired:
            ended(steps, factor, inverse, block, 1, plane, at, address(out) + 2 * corner * size, step)
        for i in range(0 if paired else n):
            real, imaginary = row_at(like, at + i * line, count), row_at(like, at + plane + i * line, count)
            join(real, imaginary, factor, part_of(out, 2 * (corner + i * after), 2 * count))


@jit
def transform_either_columns(
    x: Array,
    out: Array,
    steps: Array,
    table: Array,
    double_steps: Array,
    double_table: Array,
    scale: float,
    n: int,
    after: int,
    block: int,
    double_block: int,
    kind: int,
    inverse: int,
    first: int,
    last: int,
) -> None:
    """`transform_columns` for either precision; a block may be some blocks of the wider numbers."""
    like, blocks, own = x.dtype.type(0), (after + block - 1) // block, block
    if item_size(like) == 8:
        steps, table, own = double_steps, double_table, double_block
    rows, factors, back = rows_of_steps(steps), row_at(like, address(table), 0), inverse != 0
    begin, end = own_block(first, blocks, block, own, after), own_block(last, blocks, block, own, after)
    transform_columns(x, rows, factors, n, after, own, kind, back, scale, out, begin, end)


@jit
def own_block(k: int, blocks: int, block: int, own: int, after: int) -> int:
    """The number of the first block of `own` columns in block number k of a multiple of them."""
    return k // blocks * ((after + own - 1) // own) + k % blocks * (block // own)


@jit
def transform_columns_again(
    out: Array,
    steps: Array,
    table: Array,
    double_steps: Array,
    double_table: Array,
    scale: float,
    n: int,
    after: int,
    block: int,
    double_block: int,
    kind: int,
    inverse: int,
    first: int,
    last: int,
) -> None:
    transform_either_columns(
        out,
        out,
        steps,
        table,
        double_steps,
        double_table,
        scale,
        n,
        after,
        block,
        double_block,
        kind,
        inverse,
        first,
        last,
    )
