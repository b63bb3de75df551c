"""The transpose of a matrix, by squares that fit into vector registers."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..llvm.addresses import address, item_size, matrix_at
from ..llvm.matrices.tiles import square_rows, transposed_block

Array = np.ndarray

COLUMNS = 32  # that are transposed together: of float32 two lines of each row


@jit
def transpose(source: Array, to: Array) -> None:
    """to = source^T; rows of both are contiguous."""
    like, (rows, columns) = source.dtype.type(0), source.shape
    transpose_at(like, address(source), source.strides[0], rows, columns, address(to), to.strides[0])


@jit
def transpose_at(like: float, source: int, source_row: int, rows: int, columns: int, to: int, to_row: int) -> None:
    """Copies the transpose of a matrix at an address to another one, square by square; the last ones overlap.

    It goes down all rows of few columns: each row of the other matrix is written on and on, so it is known what to ask
    for, while squares from left to right would begin a line of memory of each row and come back to it much later.
    """
    size, step = item_size(like), square_rows(like)
    if rows < step or columns < step:
        source_view, across = (
            matrix_at(like, source, rows, columns, source_row),
            matrix_at(like, to, columns, rows, to_row),
        )
        for i in range(rows):
            for j in range(columns):
                across[j, i] = source_view[i, j]
        return
    for start in range(0, columns, COLUMNS):
        for each_row in range(0, rows, step):
            i = min(each_row, rows - step)
            for column in range(start, min(start + COLUMNS, columns), step):
                j = min(column, columns - step)
                at, there = source + i * source_row + j * size, to + j * to_row + i * size
                transposed_block(like, at, source_row, there, to_row)
