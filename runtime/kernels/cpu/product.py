"""The product of two matrices in register tiles, for calls from other kernels too.

A panel is as many columns of b as the registers of a tile hold; a tile goes through the depth of a and of one panel at
once. Where the caches cannot hold b as it lies, or it lies across, blocks of it are copied into panels first, and then
also those of an a that lies across. Every element is summed in the order of the depth, however the work is divided.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..tiles import lanes, panel_product, panel_width, transposed_block

Array = np.ndarray

NEAR = 1 << 19  # bytes: b of this extent stays in the second-level cache as it lies
DEPTH, ROWS, COLUMNS = 512, 192, 4096  # of the blocks that are copied: of depth, of rows of a, of columns of b


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
                _fill_panels(b, across_b, k, here, j, columns, panels)
            for i in range(0, rows, high):
                count = min(high, rows - i)
                if copies and across_a:
                    block[:here, :count] = a[k : k + here, i : i + count]
                a_at = _left(a, block, across_a, i, k)
                b_at = _right(b, panels, copies, width)
                for p in range(0, columns, width):
                    to = c.ctypes.data + (i * c.shape[1] + j + p) * c.itemsize
                    at = b_at[0] + p // width * b_at[2]
                    size = min(width, columns - p), add or k > 0
                    panel_product(c.dtype.type(0), *a_at, at, b_at[1], to, c.strides[0], count, here, *size)


@jit
def _left(a: Array, block: Array, across: bool, i: int, k: int) -> tuple[int, int, int]:
    """Address, distance of rows and of columns of the left matrix from row i and depth k on."""
    if block.size:
        return block.ctypes.data, block.itemsize, block.strides[0]
    if across:
        return a.ctypes.data, a.itemsize, a.strides[0]
    return a.ctypes.data + i * a.strides[0] + k * a.itemsize, a.strides[0], a.itemsize


@jit
def _right(b: Array, panels: Array, copied: bool, width: int) -> tuple[int, int, int]:
    """Address, distance of rows and of panels of the right matrix."""
    if copied:
        return panels.ctypes.data, width * panels.itemsize, panels.strides[0]
    return b.ctypes.data, b.strides[0], width * b.itemsize


@jit
def _fill_panels(b: Array, across: bool, k: int, depth: int, j: int, columns: int, panels: Array) -> None:
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
            at, there = source[i:, j:].ctypes.data, to[j:, i:].ctypes.data
            transposed_block(like, at, source.strides[0], there, to.strides[0])
        for j in range(columns, source.shape[1]):
            for x in range(step):
                to[j, i + x] = source[i + x, j]
    for i in range(rows, source.shape[0]):
        for j in range(source.shape[1]):
            to[j, i] = source[i, j]
