"""Cholesky factors, panel by panel as LU decompositions are (cpu_lu.py); only the lower triangle is read.

Blocks of matrices at addresses have contiguous rows, so many bytes apart. Triangles go by blocks of few rows, so that
nearly all of the work is products in register tiles (runtime/kernels/cpu/matmul.py). `space` is memory for the
product's smaller factor with the other sign.
"""

import math

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.matmul import multiply_at, transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.matmul_tiles import panel_bytes
from ...kernels.llvm.rank_updates import BATCH_MATRICES, subtract_multiples
from .cpu_small import deinterleave, divide_rows, interleave, undefine

BLOCK = 16  # rows or columns that are eliminated one by one before a product does the rest


@jit
def negated(like: float, source: int, source_row: int, rows: int, columns: int, to: int) -> None:
    for i in range(rows):
        row, here = row_at(like, source + i * source_row, columns), to + i * columns * item_size(like)
        out = row_at(like, here, columns)
        for j in range(out.size):
            out[j] = -row[j]


@jit
def subtract_product(
    a: int, a_row: int, b: int, b_row: int, c: int, c_row: int, rows: int, depth: int, columns: int, space: Array
) -> None:
    if rows <= 0 or depth <= 0 or columns <= 0:
        return
    like = space.dtype.type(0)
    if rows < columns:
        negated(like, a, a_row, rows, depth, address(space))
        a, a_row = address(space), depth * item_size(like)
    else:
        negated(like, b, b_row, depth, columns, address(space))
        b, b_row = address(space), columns * item_size(like)
    multiply_at(like, a, a_row, item_size(like), b, b_row, panel_bytes(), c, c_row, rows, depth, columns, True)


@jit
def subtract_row(row: Array, factor: float, other: Array) -> None:
    for j in range(row.size):
        row[j] -= factor * other[j]


@jit
def solve_lower(a: int, a_row: int, b: int, b_row: int, rows: int, columns: int, unit: bool, space: Array) -> None:
    like = space.dtype.type(0)
    for start in range(0, rows, BLOCK):
        stop = min(start + BLOCK, rows)
        subtract_product(
            a + start * a_row, a_row, b, b_row, b + start * b_row, b_row, stop - start, start, columns, space
        )
        for i in range(start, stop):
            line, factors = row_at(like, b + i * b_row, columns), row_at(like, a + i * a_row, rows)
            for k in range(start, i):
                subtract_row(line, factors[k], row_at(like, b + k * b_row, columns))
            if not unit:
                for j in range(line.size):
                    line[j] /= factors[i]


@jit
def solve_upper(a: int, a_row: int, b: int, b_row: int, rows: int, columns: int, unit: bool, space: Array) -> None:
    like, size = space.dtype.type(0), item_size(space.dtype.type(0))
    for block in range((rows + BLOCK - 1) // BLOCK - 1, -1, -1):
        start, stop = block * BLOCK, min(block * BLOCK + BLOCK, rows)
        right, below = a + start * a_row + stop * size, b + stop * b_row
        subtract_product(
            right, a_row, below, b_row, b + start * b_row, b_row, stop - start, rows - stop, columns, space
        )
        for i in range(stop - 1, start - 1, -1):
            line, factors = row_at(like, b + i * b_row, columns), row_at(like, a + i * a_row, rows)
            for k in range(i + 1, stop):
                subtract_row(line, factors[k], row_at(like, b + k * b_row, columns))
            if not unit:
                for j in range(line.size):
                    line[j] /= factors[i]


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
    """L with A = L L^T, and the first leading minor that is not positive, or 0: then L is nan."""
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
    """Copy lower triangles across the diagonal; or `downwards` the upper ones, and leave zeros in their place."""
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
