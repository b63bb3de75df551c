"""The product of two matrices in register tiles, for calls from other kernels too.

A panel is as many columns of b as the registers of a tile hold; a tile goes through the depth of a and of one panel at
once. Where the caches cannot hold b as it lies, or it lies across, blocks of it are copied into panels first, and then
also those of an a that lies across. Every element is summed in the order of the depth, however the work is divided.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..tiles import FULL, lanes, panel_width, tile, transposed_block

Array = np.ndarray

NEAR = 1 << 19  # bytes: b of this extent stays in the second-level cache as it lies
DEPTH, ROWS, COLUMNS = 512, 192, 4096  # of the blocks that are copied: of depth, of rows of a, of columns of b


@jit
def multiply(a: Array, b: Array, c: Array, across_a: bool, across_b: bool, add: bool) -> None:
    """c = a b, or c + a b: contiguous matrices, of which a or b lies across, transposed."""
    depth, rows = a.shape if across_a else a.shape[::-1]
    if not depth and not add:
        c[:] = 0
    if not depth or not c.size:
        return
    if across_b or (b.size * b.itemsize > NEAR and rows > 24):
        _multiply_blocks(a, b, c, across_a, across_b, add)
        return
    like, size, width = a.dtype.type(0), a.itemsize, panel_width(a.dtype.type(0))
    a_row, a_col = (size, size * rows) if across_a else (size * depth, size)
    for j in range(0, c.shape[1], width):
        count = min(width, c.shape[1] - j)
        at = b.ctypes.data + j * size, c.ctypes.data + j * size
        row = c.shape[1] * size
        _panel(like, a.ctypes.data, a_row, a_col, at[0], row, at[1], row, rows, depth, count, add)


@jit
def _multiply_blocks(a: Array, b: Array, c: Array, across_a: bool, across_b: bool, add: bool) -> None:
    """The product block by block, b in panels, an a that lies across in blocks of rows of its own."""
    depth, rows = a.shape if across_a else a.shape[::-1]
    width = panel_width(a.dtype.type(0))
    deep, wide = min(DEPTH, depth), min(COLUMNS, c.shape[1])
    panels = np.empty((wide + width - 1) // width * width * deep, a.dtype)
    block = np.empty((deep, min(ROWS, rows)) if across_a else (0, 0), a.dtype)
    for k in range(0, depth, deep):
        here = min(deep, depth - k)
        for j in range(0, c.shape[1], wide):
            columns = min(wide, c.shape[1] - j)
            _fill_panels(b, across_b, k, here, j, columns, panels)
            for i in range(0, rows, ROWS):
                count = min(ROWS, rows - i)
                if across_a:
                    block[:here, :count] = a[k : k + here, i : i + count]
                _multiply_panels(a, block, across_a, panels, c, (i, count, j, columns, k, here), add or k > 0)


@jit
def _multiply_panels(
    a: Array, block: Array, across: bool, panels: Array, c: Array, place: tuple[int, ...], add: bool
) -> None:
    """A block of c: `count` rows from i on and `columns` columns from j on, of `depth` from k on."""
    i, count, j, columns, k, depth = place
    like, size, width = a.dtype.type(0), a.itemsize, panel_width(a.dtype.type(0))
    start = block.ctypes.data if across else a[i:, k:].ctypes.data
    a_row, a_col = (size, size * block.shape[1]) if across else (size * a.shape[1], size)
    c_row = c.shape[1] * size
    for p in range(0, columns, width):
        panel, target = panels.ctypes.data + p * depth * size, c.ctypes.data + i * c_row + (j + p) * size
        these = min(width, columns - p)
        _panel(like, start, a_row, a_col, panel, width * size, target, c_row, count, depth, these, add)


@jit
def _fill_panels(b: Array, across: bool, k: int, depth: int, j: int, columns: int, panels: Array) -> None:
    """Copies `columns` columns from j on, `depth` rows of them from k on, to panels one behind the other."""
    width = panel_width(b.dtype.type(0))
    for p in range(0, columns, width):
        count = min(width, columns - p)
        panel = panels[p * depth : (p + width) * depth].reshape(depth, width)
        if across:
            _fill_across(b[j + p : j + p + count, k : k + depth], panel)
        else:
            for row in range(depth):
                source, to = b[k + row, j + p : j + p + count], panel[row]
                for x in range(source.size):
                    to[x] = source[x]


@jit
def _fill_across(source: Array, to: Array) -> None:
    """to = source^T, square by square; `to` may be wider."""
    like, step = source.dtype.type(0), lanes(source.dtype.type(0))
    whole_rows, whole_columns = source.shape[0] // step * step, source.shape[1] // step * step
    for i in range(0, whole_rows, step):
        for j in range(0, whole_columns, step):
            at = source[i:, j:].ctypes.data, to[j:, i:].ctypes.data
            transposed_block(like, at[0], source.strides[0], at[1], to.strides[0])
        for j in range(whole_columns, source.shape[1]):
            for x in range(step):
                to[j, i + x] = source[i + x, j]
    for i in range(whole_rows, source.shape[0]):
        for j in range(source.shape[1]):
            to[j, i] = source[i, j]


@jit
def _panel(
    like: float,
    a: int,
    a_row: int,
    a_col: int,
    b: int,
    b_row: int,
    c: int,
    c_row: int,
    rows: int,
    depth: int,
    width: int,
    add: int,
) -> None:
    """One panel of a product by tiles of 6, 4, 2 rows and 1; columns that fill no register are masked."""
    step = lanes(like)
    if width == panel_width(like):
        i = 0
        while i + 6 <= rows:
            tile(6, FULL, 0, like, a + i * a_row, a_row, a_col, b, b_row, c + i * c_row, c_row, depth, width, add)
            i += 6
        if i + 4 <= rows:
            tile(4, FULL, 0, like, a + i * a_row, a_row, a_col, b, b_row, c + i * c_row, c_row, depth, width, add)
            i += 4
        if i + 2 <= rows:
            tile(2, FULL, 0, like, a + i * a_row, a_row, a_col, b, b_row, c + i * c_row, c_row, depth, width, add)
            i += 2
        if i < rows:
            tile(1, FULL, 0, like, a + i * a_row, a_row, a_col, b, b_row, c + i * c_row, c_row, depth, width, add)
    elif width > 2 * step:
        _edge_full(like, a, a_row, a_col, b, b_row, c, c_row, rows, depth, width, add)
    elif width > step:
        _edge_2(like, a, a_row, a_col, b, b_row, c, c_row, rows, depth, width, add)
    else:
        _edge_1(like, a, a_row, a_col, b, b_row, c, c_row, rows, depth, width, add)
