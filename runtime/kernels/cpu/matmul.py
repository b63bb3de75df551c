"""The product of two matrices in register tiles.

A panel is as many columns of b as the registers of a tile hold; a tile goes through the depth of a and of one panel at
once. Where the caches cannot hold b as it lies, or it is transposed, blocks of it are copied into panels first, and
then also those of an a that is transposed. Every element is summed in the order of the depth, however the work is
divided.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..llvm.addresses import address
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
    """Some rows of c = a b, or c + a b. A great depth is summed in parts, as a long sum loses precision."""
    depth, rows = len(a) if trans_a else a.shape[1], last - first
    if not depth and not add:
        c[first:last] = 0
    if not depth or not c.size or rows < 1:
        return
    multiply_part(a, b, c, trans_a, trans_b, add, first, last, 0, min(depth, PART))
    if depth > PART:
        sums, part = c[first:last].astype(np.float64), np.empty(c.shape, c.dtype)
        for start in range(PART, depth, PART):
            multiply_part(a, b, part, trans_a, trans_b, False, first, last, start, min(depth, start + PART))
            sums += part[first:last]
        c[first:last] = sums


@jit
def multiply_part(
    a: Array, b: Array, c: Array, trans_a: bool, trans_b: bool, add: bool, first: int, last: int, start: int, stop: int
) -> None:
    """Some rows of c = a b, or c + a b, over depth `start` to `stop`: the blocked loops around the register tiles."""
    depth, rows = stop - start, last - first
    copies = trans_b or (b.size * b.itemsize > NEAR and rows > 24)
    width = panel_width(a.dtype.type(0))
    # Panels pay where they are read often enough, or where b as it lies would be read against its rows.
    deep, wide, high = depth, c.shape[1], rows
    if copies:
        deep, wide, high = even_blocks(depth, DEPTH, 1), min(COLUMNS, wide), even_blocks(rows, ROWS, 6)
    panels = np.empty(((wide + width - 1) // width, deep * width) if copies else (0, 0), a.dtype)
    block = np.empty((deep, min(high, rows)) if copies and trans_a else (0, 0), a.dtype)
    for k in range(start, stop, deep):
        here = min(deep, stop - k)
        for j in range(0, c.shape[1], wide):
            columns = min(wide, c.shape[1] - j)
            if copies:
                fill_panels(b, trans_b, k, here, j, columns, panels)
            for i in range(first, last, high):
                count = min(high, last - i)
                if copies and trans_a:
                    _copy_rows(a, k, here, i, count, block)
                a_at, a_row, a_col = _left(a, block, trans_a, i, k)
                b_at, b_row, b_panel = _right(b, panels, copies, width, k)
                c_at, c_row, more = address(c) + (i * c.shape[1] + j) * c.itemsize, c.strides[0], add or k > start
                like = c.dtype.type(0)
                multiply_at(like, a_at, a_row, a_col, b_at, b_row, b_panel, c_at, c_row, count, here, columns, more)


@jit
def even_blocks(count: int, most: int, step: int) -> int:
    """The size of blocks of at most `most`, and a multiple of `step`; the last is hardly smaller than the others."""
    blocks = (count + most - 1) // most
    return ((count + blocks - 1) // blocks + step - 1) // step * step


@jit(inline="always")
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
def _left(a: Array, block: Array, transposed: bool, i: int, k: int) -> tuple[int, int, int]:
    """Address, distance of rows and of columns of the left matrix from row i and depth k on."""
    if block.size:
        return address(block), block.itemsize, block.strides[0]
    if transposed:
        return address(a) + i * a.itemsize + k * a.strides[0], a.itemsize, a.strides[0]
    return address(a) + i * a.strides[0] + k * a.itemsize, a.strides[0], a.itemsize


@jit
def _right(b: Array, panels: Array, copied: bool, width: int, k: int) -> tuple[int, int, int]:
    """Address, distance of rows and of panels of the right matrix from depth k on."""
    if copied:
        return address(panels), width * panels.itemsize, panels.strides[0]
    return address(b) + k * b.strides[0], b.strides[0], width * b.itemsize


@jit
def fill_panels(b: Array, transposed: bool, k: int, depth: int, j: int, columns: int, panels: Array) -> None:
    """Copies `columns` columns from j on, `depth` rows of them from k on, to panels one behind the other."""
    width = panel_width(b.dtype.type(0))
    for p in range(0, columns, width):
        count = min(width, columns - p)
        panel = panels[p // width, : depth * width].reshape(depth, width)
        if transposed:
            transpose(b[j + p : j + p + count, k : k + depth], panel)
        else:
            _copy_rows(b, k, depth, j + p, count, panel)


@jit
def _copy_rows(source: Array, k: int, rows: int, j: int, columns: int, to: Array) -> None:
    """A block of a matrix, `rows` rows from k on and `columns` columns from j on, to the corner of another matrix."""
    for i in range(rows):
        row, there = source[k + i, j : j + columns], to[i]
        for x in range(row.size):
            there[x] = row[x]


@jit
def transpose(source: Array, to: Array) -> None:
    """to = source^T, square by square; `to` may be wider."""
    like, step = source.dtype.type(0), lanes(source.dtype.type(0))
    rows, columns = source.shape[0] // step * step, source.shape[1] // step * step
    for i in range(0, rows, step):
        for j in range(0, columns, step):
            at = address(source) + i * source.strides[0] + j * source.itemsize
            there = address(to) + j * to.strides[0] + i * to.itemsize
            transposed_block(like, at, source.strides[0], there, to.strides[0])
        for j in range(columns, source.shape[1]):
            for x in range(step):
                to[j, i + x] = source[i + x, j]
    for i in range(rows, source.shape[0]):
        for j in range(source.shape[1]):
            to[j, i] = source[i, j]
