"""Cholesky factors, panel by panel as LU decompositions are (cpu_lu.py); only the lower triangle is read."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.transpose import transpose_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of
from ...pool.parallel_for import shared
from .cpu_blocks import BLOCK, subtract_product, subtract_row

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
        reach = (done // BLOCK & -(done // BLOCK)) * BLOCK
        behind, lower = min(rows - done, reach), a + done * row + (done - reach) * size
        if behind > 0:
            transpose_at(like, lower, row, behind, reach, address(across), behind * size)
            right, rest = address(across), a + done * (row + size)
            subtract_product(lower, row, right, behind * size, rest, row, rows - done, reach, behind, space)
    return 0


@jit
def factor_each(a: Array, info: Array, first: int, last: int) -> None:
    """The factors of some contiguous matrices of a batch in their place, zeros above the diagonal."""
    rows = a.shape[1]
    like = a.dtype.type(0)
    panel, across, space = empty_row(like, BLOCK * rows), empty_row(like, rows * rows), empty_row(like, rows * rows)
    for i in range(first, last):
        info[i] = factor(address(a[i]), rows, panel, across, space)
        for r in range(rows):
            above = part_of(a, (i * rows + r) * rows + r + 1, rows - r - 1)
            for j in range(above.size):
                above[j] = 0


def cholesky_factors(a: Array) -> tuple[Array, Array]:
    """L with A = L L^T, and the order of the first leading minor that is not positive, or 0, of real matrices."""
    result = np.array(a, order="C")
    info, rows = np.empty(a.shape[:-2], np.int32), a.shape[-1]
    flat = result.reshape(-1, rows, rows)
    shared(factor_each, (flat, info.reshape(-1)), len(flat), flat.size * rows // (6 * PRODUCTS))
    return result, info
