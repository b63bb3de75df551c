"""Cholesky factors, panel by panel as LU decompositions are (cpu_lu.py); only the lower triangle is read."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.transpose import transpose_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of
from ...kernels.llvm.matrices.side_by_side import BATCH_MATRICES, subtract_multiples
from .cpu_blocks import BLOCK, subtract_product, subtract_row
from .cpu_small import deinterleave, divide_rows, interleave, undefine

Array = np.ndarray


@jit
def factor_panel(panel: Array, rows: int, columns: int) -> int:
    """The factor's columns, which lie as rows of the panel; the first minor that is not positive, from 1, or 0."""
    for j in range(columns):
        column = part_of(panel, j * rows + j, rows - j)
        if not column[0] > 0:
            return j + 1
        root = column.dtype.type(math.sqrt(column[0]))
        for i in range(column.size):
            column[i] /= root
        for c in range(j + 1, columns):
            subtract_row(part_of(panel, c * rows + c, rows - c), column[c - j], part_of(panel, j * rows + c, rows - c))
    return 0


@jit
def factor(a: int, rows: int, panel: Array, across: Array, space: Array) -> int:
    """L in place of the lower triangle of A, contiguous; the first minor that is not positive, from 1, or 0."""
    like, size = panel.dtype.type(0), item_size(panel.dtype.type(0))
    row = rows * size
    for start in range(0, rows, BLOCK):
        left, width, corner = rows - start, min(BLOCK, rows - start), a + start * (row + size)
        transpose_at(like, corner, row, left, width, address(panel), left * size)
        failed = factor_panel(panel, left, width)
        if failed:
            return start + failed
        transpose_at(like, address(panel), left * size, width, left, corner, row)
        done = start + width
        panel_end = (done // BLOCK & -(done // BLOCK)) * BLOCK
        behind, lower = min(rows - done, panel_end), a + done * row + (done - panel_end) * size
        if behind > 0:
            transpose_at(like, lower, row, behind, panel_end, address(across), behind * size)
            right, rest = address(across), a + done * (row + size)
            subtract_product(lower, row, right, behind * size, rest, row, rows - done, panel_end, behind, space)
    return 0


@jit
def factor_each(a: Array, out: Array, info: Array, rows: int, first: int, last: int) -> None:
    """L with A = L L^T of some contiguous matrices of a batch, zeros above the diagonal; and the order of the first
    leading minor that is not positive, or 0: then L is nan."""
    like = out.dtype.type(0)
    panel, across, space = empty_row(like, BLOCK * rows), empty_row(like, rows * rows), empty_row(like, rows * rows)
    for i in range(first, last):
        matrix = part_of(out, i * rows * rows, rows * rows)
        copy_row(part_of(a, i * rows * rows, rows * rows), matrix)
        info[i] = factor(address(matrix), rows, panel, across, space)
        for r in range(rows):
            above = part_of(matrix, r * rows + r + 1, rows - r - 1)
            for j in range(above.size):
                above[j] = 0
        undefine(matrix, info[i])


@jit
def mirrored(group: Array, n: int, downwards: bool) -> None:
    """Copy the lower triangles of matrices that lie side by side across the diagonal; or the upper ones `downwards`,
    and leave zeros in their place."""
    for i in range(n):
        for j in range(i):
            below = part_of(group, (i * n + j) * BATCH_MATRICES, BATCH_MATRICES)
            above = part_of(group, (j * n + i) * BATCH_MATRICES, BATCH_MATRICES)
            for lane in range(BATCH_MATRICES):
                if downwards:
                    below[lane], above[lane] = above[lane], 0
                else:
                    above[lane] = below[lane]


@jit
def factor_group(group: Array, n: int, roots: Array, failed: Array) -> None:
    """L^T in place of the upper triangles of matrices that lie side by side, and the first minors that fail."""
    like, size = group.dtype.type(0), item_size(group.dtype.type(0))
    for lane in range(BATCH_MATRICES):
        failed[lane] = 0
    for j in range(n):
        row = part_of(group, (j * n + j) * BATCH_MATRICES, (n - j) * BATCH_MATRICES)
        for lane in range(BATCH_MATRICES):
            failed[lane] = j + 1 if failed[lane] == 0 and not row[lane] > 0 else failed[lane]
            roots[lane] = math.sqrt(row[lane])
        divide_rows(row, roots, n - j)
        for i in range(j + 1, n):
            at = address(group) + (j * n + i) * BATCH_MATRICES * size
            subtract_multiples(like, at, at, address(group) + (i * n + i) * BATCH_MATRICES * size, n - i)


@jit
def factor_small(a: Array, out: Array, info: Array, matrices: int, n: int, first: int, last: int) -> None:
    """`factor_each` of matrices of few rows, a group of which lies side by side meanwhile."""
    like = out.dtype.type(0)
    size, group = item_size(like), empty_row(like, n * n * BATCH_MATRICES)
    roots, failed = empty_row(like, BATCH_MATRICES), empty_row(0, BATCH_MATRICES)
    for g in range(first, last):
        begin = g * BATCH_MATRICES
        count = min(BATCH_MATRICES, matrices - begin)
        interleave(address(a) + begin * n * n * size, count, n * n, group)
        mirrored(group, n, False)
        factor_group(group, n, roots, failed)
        mirrored(group, n, True)
        deinterleave(group, count, n * n, address(out) + begin * n * n * size)
        for lane in range(count):
            info[begin + lane] = failed[lane]
            undefine(part_of(out, (begin + lane) * n * n, n * n), failed[lane])
