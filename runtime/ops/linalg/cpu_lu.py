"""LU decompositions with exchanges of rows, and what is found from them: solutions, inverses, determinants.

Columns are decomposed in panels, which lie as rows meanwhile. After panel k as many columns behind it are brought up to
date as there are decomposed ones before them that stand in the same power of two: so products are as large as they
would be if halves were decomposed after each other. A range of a kernel is one of matrices, or of blocks of columns.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import bits, choose
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.matmul import transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from .cpu_cholesky import BLOCK, solve_lower, solve_upper, subtract_product, subtract_row
from .cpu_small import undefine

COLUMNS = 64  # of an inverse, or of solutions, that are found together
_REST32, _REST64 = np.int32(2**31 - 1), np.int64(2**63 - 1)


@jit
def pivot_index(row: Array, first: int) -> int:
    """Where, from `first` on, the greatest absolute value first is; by bits, which LLVM compares in vectors."""
    rest, like = choose(row.dtype.type(0), _REST32, _REST64), row.dtype.type(0)
    there = row_at(like, address(row) + first * item_size(like), row.size - first)
    top = bits(like)
    for i in range(there.size):
        top = max(top, bits(there[i]) & rest)
    for i in range(there.size):
        if bits(there[i]) & rest == top:
            return first + i
    return first


@jit
def swap_rows(a: int, b: int, like: float, count: int) -> None:
    one, other = row_at(like, a, count), row_at(like, b, count)
    for j in range(count):
        saved_value = one[j]
        one[j] = other[j]
        other[j] = saved_value


@jit
def decompose_panel(panel: Array, rows: int, columns: int, pivots: Array) -> int:
    """Decompose columns that lie as rows of the panel; the first whose pivot is 0, counted from 1, or 0."""
    failed = 0
    for j in range(min(rows, columns)):
        column = part_of(panel, j * rows, rows)
        p = pivot_index(column, j)
        pivots[j] = p
        if column[p] == 0:
            failed = failed if failed else j + 1
            continue
        for c in range(columns if p != j else 0):
            other = part_of(panel, c * rows, rows)
            saved_value = other[j]
            other[j] = other[p]
            other[p] = saved_value
        below, pivot = part_of(panel, j * rows + j + 1, rows - j - 1), column[j]
        for i in range(below.size):
            below[i] /= pivot
        for c in range(j + 1, columns):
            subtract_row(part_of(panel, c * rows + j + 1, rows - j - 1), panel[c * rows + j], below)
    return failed


@jit
def decompose(a: int, rows: int, columns: int, pivots: Array, panel: Array, space: Array) -> int:
    """A = P L U in place, A contiguous; row i was exchanged for row pivots[i]; the first pivot that is 0, else 0."""
    like, size, failed = panel.dtype.type(0), item_size(panel.dtype.type(0)), 0
    row, wide = columns * size, min(rows, columns)
    for start in range(0, wide, BLOCK):
        left, width, corner = rows - start, min(BLOCK, wide - start), a + start * (row + size)
        transpose_at(like, corner, row, left, width, address(panel), left * size)
        exchanged = part_of(pivots, start, width)
        result = decompose_panel(panel, left, width, exchanged)
        failed = start + result if result and not failed else failed
        for i in range(width):
            exchanged[i] += start
            if exchanged[i] != start + i:
                swap_rows(a + (start + i) * row, a + exchanged[i] * row, like, columns)
        transpose_at(like, address(panel), left * size, width, left, corner, row)
        done = start + width
        panel_end = (done // BLOCK & -(done // BLOCK)) * BLOCK
        first, behind = done - panel_end, min(wide - done, panel_end)
        if behind > 0:
            lower, upper, rest = a + first * (row + size), a + first * row + done * size, a + done * (row + size)
            solve_lower(lower, row, upper, row, panel_end, behind, True, space)
            subtract_product(lower + panel_end * row, row, upper, row, rest, row, rows - done, panel_end, behind, space)
    if columns > wide:
        solve_lower(a, row, a + wide * size, row, rows, columns - wide, True, space)
    return failed


@jit
def decompose_each(
    a: Array, packed: Array, pivots: Array, info: Array, rows: int, columns: int, first: int, last: int
) -> None:
    """L and U in one matrix, the row that each was exchanged for and the first pivot that is 0, both counted from 1."""
    like, count = a.dtype.type(0), min(rows, columns)
    panel, space = empty_row(like, BLOCK * rows), empty_row(like, rows * columns)
    for i in range(first, last):
        exchanged, matrix = part_of(pivots, i * count, count), part_of(packed, i * rows * columns, rows * columns)
        copy_row(part_of(a, i * rows * columns, rows * columns), matrix)
        info[i] = decompose(address(matrix), rows, columns, exchanged, panel, space)
        for k in range(count):
            exchanged[k] += 1


@jit
def order_each(pivots: Array, order: Array, count: int, rows: int, first: int, last: int) -> None:
    """Which row stands where after exchanges; IndexError where a row is exchanged with one that there is not."""
    for m in range(first, last):
        exchanged, result = part_of(pivots, m * count, count), part_of(order, m * rows, rows)
        for i in range(rows):
            result[i] = i
        for i in range(count):
            other = int(exchanged[i]) - 1
            if i >= rows or other < 0 or other >= rows:
                raise IndexError
            saved_value = result[i]
            result[i] = result[other]
            result[other] = saved_value


@jit
def fail_if_any(info: Array) -> None:
    for i in range(info.size):
        if info[i]:
            raise ValueError


@jit
def copy_columns(matrix: Array, columns: int, start: int, count: int, rows: int, to: Array) -> None:
    for r in range(rows):
        copy_row(part_of(matrix, r * columns + start, count), part_of(to, r * columns + start, count))


@jit
def solve_each(
    packed: Array, pivots: Array, info: Array, b: Array, out: Array, rows: int, columns: int, first: int, last: int
) -> None:
    """A^-1 B for contiguous matrices, by what `decompose_each` gave of A: a range of blocks of columns of all."""
    like, blocks = b.dtype.type(0), (columns + COLUMNS - 1) // COLUMNS
    size, space = item_size(like), empty_row(like, rows * max(COLUMNS, BLOCK))
    row = columns * size
    for k in range(first, last):
        i, start = k // blocks, k % blocks * COLUMNS
        count, full = min(COLUMNS, columns - start), rows * columns
        copy_columns(part_of(b, i * full, full), columns, start, count, rows, part_of(out, i * full, full))
        at, factors = address(out) + (i * full + start) * size, address(packed) + i * rows * rows * size
        for r in range(rows):
            other = pivots[i * rows + r] - 1
            if other != r:
                swap_rows(at + r * row, at + other * row, like, count)
        solve_lower(factors, rows * size, at, row, rows, count, True, space)
        solve_upper(factors, rows * size, at, row, rows, count, False, space)
        for r in range(rows):
            undefine(row_at(like, at + r * row, count), info[i])


@jit
def solve_triangular_each(
    a: Array, b: Array, out: Array, rows: int, columns: int, upper: int, unit: int, first: int, last: int
) -> None:
    like, blocks = b.dtype.type(0), (columns + COLUMNS - 1) // COLUMNS
    size, space = item_size(like), empty_row(like, rows * max(COLUMNS, BLOCK))
    row = columns * size
    for k in range(first, last):
        i, start = k // blocks, k % blocks * COLUMNS
        count, full = min(COLUMNS, columns - start), rows * columns
        copy_columns(part_of(b, i * full, full), columns, start, count, rows, part_of(out, i * full, full))
        at, factors = address(out) + (i * full + start) * size, address(a) + i * rows * rows * size
        if upper:
            solve_upper(factors, rows * size, at, row, rows, count, unit != 0, space)
        else:
            solve_lower(factors, rows * size, at, row, rows, count, unit != 0, space)


@jit
def invert_each(packed: Array, pivots: Array, info: Array, out: Array, rows: int, first: int, last: int) -> None:
    """A^-1 for square matrices, by what `decompose_each` gave of A: a range of blocks of columns of all.

    Columns of (L U)^-1 are found by a lower triangle that begins where the columns of the identity do; exchanges of
    rows of A are exchanges of columns of the inverse.
    """
    like, blocks = out.dtype.type(0), (rows + COLUMNS - 1) // COLUMNS
    size, space = item_size(like), empty_row(like, rows * COLUMNS)
    part, order = empty_row(like, rows * COLUMNS), empty_row(0, rows)
    for k in range(first, last):
        i, start = k // blocks, k % blocks * COLUMNS
        count, factors = min(COLUMNS, rows - start), address(packed) + i * rows * rows * size
        for j in range(rows * count):
            part[j] = 0
        for j in range(count):
            part[(start + j) * count + j] = 1
        at, lower = address(part) + start * count * size, factors + start * (rows + 1) * size
        solve_lower(lower, rows * size, at, count * size, rows - start, count, True, space)
        solve_upper(factors, rows * size, address(part), count * size, rows, count, False, space)
        undefine(part_of(part, 0, rows * count), info[i])
        for r in range(rows):
            order[r] = r
        for r in range(rows):
            p = pivots[i * rows + r] - 1
            saved_value = order[r]
            order[r] = order[p]
            order[p] = saved_value
        for r in range(rows):
            row, to = part_of(part, r * count, count), part_of(out, (i * rows + r) * rows, rows)
            for j in range(count):
                to[order[start + j]] = row[j]


@jit
def log_determinant_each(packed: Array, pivots: Array, signs: Array, logarithms: Array, rows: int) -> None:
    """The signs of determinants, 0 for those that are 0, and the logarithms of their absolute values."""
    for i in range(signs.size):
        sign, total = 1.0, 0.0
        for j in range(rows):
            value = packed[(i * rows + j) * rows + j]
            sign = -sign if pivots[i * rows + j] != j + 1 else sign
            sign = 0 * value if value == 0 or value != value else -sign if value < 0 else sign
            total += math.log(abs(value))
        signs[i], logarithms[i] = sign, total


@jit
def determinant_each(packed: Array, pivots: Array, out: Array, rows: int) -> None:
    for i in range(out.size):
        product = 1.0
        for j in range(rows):
            value = packed[(i * rows + j) * rows + j]
            product *= -value if pivots[i * rows + j] != j + 1 else value
        out[i] = product
