"""The product of two matrices in register tiles, for Python kernels (`matmul2d`) and for compiled ones (`multiply`).

A panel is as many columns of b as the registers of a tile hold; a tile goes through the depth of a and of one panel at
once. Where the caches cannot hold b as it lies, or it lies across, blocks of it are copied into panels first, and then
also those of an a that lies across. Every element is summed in the order of the depth, however the work is divided.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..places import address
from ..tiles import lanes, panel_bytes, panel_product, panel_width, transposed_block

Array = np.ndarray

NATIVE = (np.dtype(np.float32), np.dtype(np.float64))
SMALL = 1 << 13  # products of fewer numbers cost less than the call: NumPy's is cheaper
NEAR = 1 << 19  # bytes: b of this extent stays in the second-level cache as it lies
DEPTH, ROWS, COLUMNS = 512, 192, 4096  # of the blocks that are copied: of depth, of rows of a, of columns of b


def matmul2d(a: Array, b: Array) -> Array:
    """The product of two matrices of one dtype, which may be transposed views."""
    rows, depth = a.shape
    columns = b.shape[1]
    if rows * depth * columns < SMALL or a.dtype not in NATIVE or a.dtype is not b.dtype:
        return a.dot(b)
    a, across_a = _lying(a)
    b, across_b = _lying(b)
    if across_b and rows == 1:
        return a.dot(b.T)  # each number of b is used once: copying it would cost more than the product
    result = np.empty((rows, columns), a.dtype)
    multiply(a, b, result, across_a, across_b, False)
    return result


def _lying(matrix: Array) -> tuple[Array, bool]:
    """A contiguous matrix, and whether it is the transpose of what was given."""
    flags = matrix.flags
    if flags.c_contiguous:
        return matrix, False
    return (matrix.T, True) if flags.f_contiguous else (np.ascontiguousarray(matrix), False)


@jit
def multiply(a: Array, b: Array, c: Array, across_a: bool, across_b: bool, add: bool) -> None:
    """c = a b, or c + a b: contiguous matrices, of which a or b may lie across, as its transpose."""
    depth, rows = a.shape if across_a else a.shape[::-1]
    if not depth and not add:
        c[:] = 0
    if not depth or not c.size:
        return
    copies = across_b or (b.size * b.itemsize > NEAR and rows > 24)
    width = panel_width(a.dtype.type(0))
    deep, wide, high = (min(DEPTH, depth), min(COLUMNS, c.shape[1]), ROWS) if copies else (depth, c.shape[1], rows)
    panels = np.empty(((wide + width - 1) // width, deep * width) if copies else (0, 0), a.dtype)
    block = np.empty((deep, min(high, rows)) if copies and across_a else (0, 0), a.dtype)
    for k in range(0, depth, deep):
        here = min(deep, depth - k)
        for j in range(0, c.shape[1], wide):
            columns = min(wide, c.shape[1] - j)
            if copies:
                fill_panels(b, across_b, k, here, j, columns, panels)
            for i in range(0, rows, high):
                count = min(high, rows - i)
                if copies and across_a:
                    block[:here, :count] = a[k : k + here, i : i + count]
                a_at, a_row, a_col = _left(a, block, across_a, i, k)
                b_at, b_row, b_panel = _right(b, panels, copies, width)
                c_at, c_row, more = address(c) + (i * c.shape[1] + j) * c.itemsize, c.strides[0], add or k > 0
                like = c.dtype.type(0)
                multiply_at(like, a_at, a_row, a_col, b_at, b_row, b_panel, c_at, c_row, count, here, columns, more)


@jit
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
def _left(a: Array, block: Array, across: bool, i: int, k: int) -> tuple[int, int, int]:
    """Address, distance of rows and of columns of the left matrix from row i and depth k on."""
    if block.size:
        return address(block), block.itemsize, block.strides[0]
    if across:
        return address(a), a.itemsize, a.strides[0]
    return address(a) + i * a.strides[0] + k * a.itemsize, a.strides[0], a.itemsize


@jit
def _right(b: Array, panels: Array, copied: bool, width: int) -> tuple[int, int, int]:
    """Address, distance of rows and of panels of the right matrix."""
    if copied:
        return address(panels), width * panels.itemsize, panels.strides[0]
    return address(b), b.strides[0], width * b.itemsize


@jit
def fill_panels(b: Array, across: bool, k: int, depth: int, j: int, columns: int, panels: Array) -> None:
    """Copies `columns` columns from j on, `depth` rows of them from k on, to panels one behind the other."""
    width = panel_width(b.dtype.type(0))
    for p in range(0, columns, width):
        count = min(width, columns - p)
        panel = panels[p // width, : depth * width].reshape(depth, width)
        if across:
            transpose(b[j + p : j + p + count, k : k + depth], panel)
        else:
            for row in range(depth):
                source, to = b[k + row, j + p : j + p + count], panel[row]
                for x in range(source.size):
                    to[x] = source[x]


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
