"""Transforms of columns: along a dimension that others follow, block by block of these."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.fft_butterflies import WIDEST
from .cpu_loops import PLANE_OFFSET, REAL, all_passes, ended, join, rows_begun, rows_of_steps, split

Array = np.ndarray


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
    """The transforms of columns of matrices with n rows of `after` complex numbers: a range of blocks of columns.

    What passes take is there for either precision; a block may be some blocks of the wider numbers. The result may be
    in the place of x: a block is read before it is written.
    """
    like, size, own = x.dtype.type(0), item_size(x.dtype.type(0)), block
    if size == 8:
        steps, table, own = double_steps, double_table, double_block
    passes, factors, back, factor = (
        rows_of_steps(steps),
        row_at(like, address(table), 0),
        inverse != 0,
        x.dtype.type(like + scale),
    )
    blocks, own_blocks = (after + block - 1) // block, (after + own - 1) // own
    plane = (own * n * size + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET + PLANE_OFFSET
    space = empty_row(like, (4 * plane + 2 * PLANE_OFFSET) // size)
    for i in range(space.size):
        space[i] = 0
    one = (address(space) + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    other, line, step = one + 2 * plane, own * size, 2 * after * size
    for k in range(own_block(first, blocks, block, own, after), own_block(last, blocks, block, own, after)):
        start = k % own_blocks * own
        count, corner = min(own, after - start), k // own_blocks * n * after + start
        full = count == own and len(passes) > 1
        paired = full and passes[len(passes) - 1, 0] <= WIDEST
        begin = 1 if full and kind != REAL and passes[0, 0] <= WIDEST else 0
        end = len(passes) - (1 if paired else 0)
        if begin:
            rows_begun(passes, factors, back, own, 1, plane, address(x) + 2 * corner * size, step, one)
        for i in range(0 if begin else n):
            real, imaginary = row_at(like, one + i * line, count), row_at(like, one + plane + i * line, count)
            if kind == REAL:
                row = part_of(x, corner + i * after, count)
                for j in range(count):
                    real[j] = row[j]
                    imaginary[j] = 0
            else:
                split(part_of(x, 2 * (corner + i * after), 2 * count), real, imaginary)
        at = all_passes(passes[begin:end], factors, back, own, 1, plane, one, other)
        if paired:
            ended(passes, factor, back, own, 1, plane, at, address(out) + 2 * corner * size, step)
        for i in range(0 if paired else n):
            real, imaginary = row_at(like, at + i * line, count), row_at(like, at + plane + i * line, count)
            join(real, imaginary, factor, part_of(out, 2 * (corner + i * after), 2 * count))


@jit
def own_block(k: int, blocks: int, block: int, own: int, after: int) -> int:
    """The number of the first block of `own` columns in block number k of a multiple of them."""
    return k // blocks * ((after + own - 1) // own) + k % blocks * (block // own)
