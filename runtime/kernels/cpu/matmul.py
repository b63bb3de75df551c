"""The product of two matrices in register tiles.

A panel is as many columns of b as the registers of a tile hold; a tile goes through the depth of a and of one panel at
once. Where the caches cannot hold b as it lies, or it is transposed, blocks of it are copied into panels first, and
then also those of an a that is transposed. Every element is summed in the order of the depth, however the work is
divided.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..llvm.addresses import address, empty_row, item_size, matrix_at, row_at
from ..llvm.tiles import lanes, panel_bytes, panel_product, panel_width, transposed_block

Array = np.ndarray

PRODUCTS = 16  # take as long as one element of other work, or somewhat longer
UNIT = 24  # rows that stay together in one thread
NEAR = 1 << 20  # bytes: b of this extent stays in the second-level cache as it lies
PART = 4096  # of the depth, that is added up in the dtype of the matrices
DEPTH, ROWS, COLUMNS = 640, 192, 4096  # of the blocks that are copied: of depth, of rows of a, of columns of b


@jit
def multiply_each(a: Array, b: Array, c: Array, trans_a: bool, trans_b: bool, first: int, last: int) -> None:
    """c = a b for some items of a batch."""
    for i in range(first, last):
        multiply_rows(a[i], b[i], c[i], trans_a, trans_b, False, 0, c.shape[1])


@jit
def multiply_rows(a: Array, b: Array, c: Array, trans_a: bool, trans_b: bool, add: bool, first: int, last: int) -> None:
    """Some rows of c = a b, or c + a b, of contiguous matrices."""
    like, depth = c.dtype.type(0), len(a) if trans_a else a.shape[1]
    product_at(like, address(a), address(b), address(c), depth, len(c), c.shape[1], trans_a, trans_b, add, first, last)


@jit
def product_at(
    like: float,
    a: int,
    b: int,
    c: int,
    depth: int,
    rows: int,
    columns: int,
    trans_a: bool,
    trans_b: bool,
    add: bool,
    first: int,
    last: int,
) -> None:
    """Some rows of c = a b, or c + a b, of contiguous matrices at addresses.

    A great depth is summed in parts, as a long sum loses precision.
    """
    result = row_at(like, c + first * columns * item_size(like), max(last - first, 0) * columns)
    if not depth and not add:
        for i in range(result.size):
            result[i] = like
    if not result.size:
        return
    sums = empty_row(0.0, result.size if depth > PART else 0)
    for start in range(0, depth, PART):
        stop, more = min(depth, start + PART), add and start == 0
        multiply_part(like, a, b, c, depth, rows, columns, trans_a, trans_b, more, first, last, start, stop)
        for i in range(sums.size):
            sums[i] = sums[i] + result[i] if start else result[i]
    for i in range(sums.size):
        result[i] = sums[i]


@jit
def multiply_part(
    like: float,
    a: int,
    b: int,
    c: int,
    depth: int,
    rows: int,
    columns: int,
    trans_a: bool,
    trans_b: bool,
    add: bool,
    first: int,
    last: int,
    start: int,
    stop: int,
) -> None:
    """Some rows of c = a b, or c + a b, over depth `start` to `stop`: the blocked loops around the register tiles."""
    size, width, panel_row = item_size(like), panel_width(like), panel_bytes()
    # From one row of a to the next, from one column to the next, and from one row of b, as it lies, to the next.
    a_row, a_col = (size, rows * size) if trans_a else (depth * size, size)
    b_row = (depth if trans_b else columns) * size
    copies = trans_b or (depth * columns * size > NEAR and last - first > 24)
    # Panels pay where they are read often enough, or where b as it lies would be read against its rows.
    deep, wide, high = stop - start, columns, last - first
    if copies:
        deep, wide, high = even_blocks(deep, DEPTH, 1), min(COLUMNS, wide), even_blocks(high, ROWS, 6)
    panels = empty_row(like, (wide + width - 1) // width * width * deep if copies else 0)
    block = empty_row(like, deep * high if copies and trans_a else 0)
    for k in range(start, stop, deep):
        here = min(deep, stop - k)
        for j in range(0, columns, wide):
            count = min(wide, columns - j)
            right, right_row, right_panel = b + k * b_row + j * size, b_row, panel_row
            if copies:
                corner = b + j * b_row + k * size if trans_b else right
                right, right_row, right_panel = address(panels), panel_row, deep * panel_row
                fill_panels(like, corner, b_row, trans_b, here, count, right, right_panel)
            for i in range(first, last, high):
                left, left_row, left_col, lines = a + i * a_row + k * a_col, a_row, a_col, min(high, last - i)
                if block.size:
                    copy_rows(like, left, a_col, here, lines, address(block), high * size)
                    left, left_col = address(block), high * size
                to, more = c + (i * columns + j) * size, add or k > start
                multiply_at(
                    like,
                    left,
                    left_row,
                    left_col,
                    right,
                    right_row,
                    right_panel,
                    to,
                    columns * size,
                    lines,
                    here,
                    count,
                    more,
                )


@jit
def even_blocks(count: int, most: int, step: int) -> int:
    """The size of blocks of at most `most`, and a multiple of `step`; the last is hardly smaller than the others."""
    blocks = (count + most - 1) // most
    return ((count + blocks - 1) // blocks + step - 1) // step * step


@jit(forceinline=True)
def multiply_at(
    like: float,
    a: int,
    a_row: int,
    a_col: int,
    b: int,
    b_row: int,
    b_panel: int,
    c: int,
    c_row: int,
    rows: int,
    depth: int,
    columns: int,
    add: bool,
) -> None:
    """c = a b, or c + a b, of matrices at addresses, with the distances in bytes of rows, columns and panels.

    Rows of a panel of b, and those of c, are contiguous; a and b meet in at least one element.
    """
    width, bytes_ = panel_width(like), panel_bytes()
    for p in range((columns + width - 1) // width):
        at, to = b + p * b_panel, c + p * bytes_
        panel_product(like, a, a_row, a_col, at, b_row, to, c_row, rows, depth, min(width, columns - p * width), add)


@jit
def fill_panels(
    like: float, b: int, b_row: int, transposed: bool, depth: int, columns: int, panels: int, panel: int
) -> None:
    """Copies a matrix of `depth` rows to panels that are `panel` bytes apart; `transposed`, it lies in `columns` rows.

    Rows of the matrix, as it lies, are `b_row` bytes apart.
    """
    size, width = item_size(like), panel_width(like)
    for j in range(0, columns, width):
        count, to = min(width, columns - j), panels + j // width * panel
        if transposed:
            transpose_at(like, b + j * b_row, b_row, count, depth, to, panel_bytes())
        else:
            copy_rows(like, b + j * size, b_row, depth, count, to, panel_bytes())


@jit
def copy_rows(like: float, source: int, source_row: int, rows: int, columns: int, to: int, to_row: int) -> None:
    """Copies a matrix at an address to another one; the distances of rows are in bytes."""
    for i in range(rows):
        row, there = row_at(like, source + i * source_row, columns), row_at(like, to + i * to_row, columns)
        for x in range(row.size):
            there[x] = row[x]


@jit
def transpose(source: Array, to: Array) -> None:
    """to = source^T; rows of both are contiguous."""
    like, (rows, columns) = source.dtype.type(0), source.shape
    transpose_at(like, address(source), source.strides[0], rows, columns, address(to), to.strides[0])


@jit
def transpose_at(like: float, source: int, source_row: int, rows: int, columns: int, to: int, to_row: int) -> None:
    """Copies the transpose of a matrix at an address to another one, square by square."""
    size, step = item_size(like), lanes(like)
    whole_rows, whole_columns = rows // step * step, columns // step * step
    lying, across = matrix_at(like, source, rows, columns, source_row), matrix_at(like, to, columns, rows, to_row)
    for i in range(0, whole_rows, step):
        for j in range(0, whole_columns, step):
            at, there = source + i * source_row + j * size, to + j * to_row + i * size
            transposed_block(like, at, source_row, there, to_row)
        for j in range(whole_columns, columns):
            for x in range(step):
                across[j, i + x] = lying[i + x, j]
    for i in range(whole_rows, rows):
        for j in range(columns):
            across[j, i] = lying[i, j]
