"""LU decompositions with exchanges of rows, and what is found from them: solutions, inverses, determinants.

Columns are decomposed in panels, which lie as rows meanwhile. After panel k as many columns behind it are brought up to
date as there are decomposed ones before them that stand in the same power of two: so products are as large as they
would be if halves were decomposed after each other. A range of a kernel is one of matrices, or of blocks of columns.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.transpose import transpose_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.matrices.side_by_side import TOGETHER
from ...kernels.scalar.primitives import bits, choose
from ...pool.parallel_for import shared
from .cpu_blocks import BLOCK, solve_lower, solve_upper, subtract_product, subtract_row
from .cpu_small import decompose_small, invert_small, solve_small

Array = np.ndarray

COLUMNS = 64  # of an inverse, or of solutions, that are found together
_REST32, _REST64 = np.int32(2**31 - 1), np.int64(2**63 - 1)


@jit
def place_of_greatest(row: Array, first: int) -> int:
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
def exchange(a: int, b: int, like: float, count: int) -> None:
    """Exchange two rows."""
    one, other = row_at(like, a, count), row_at(like, b, count)
    for j in range(count):
        kept = one[j]
        one[j] = other[j]
        other[j] = kept


@jit
def decompose_panel(panel: Array, rows: int, columns: int, pivots: Array) -> int:
    """Decompose columns that lie as rows of the panel; the first whose pivot is 0, counted from 1, or 0."""
    failed = 0
    for j in range(min(rows, columns)):
        column = part_of(panel, j * rows, rows)
        p = place_of_greatest(column, j)
        pivots[j] = p
        if column[p] == 0:
            failed = failed if failed else j + 1
            continue
        for c in range(columns if p != j else 0):
            other = part_of(panel, c * rows, rows)
            kept = other[j]
            other[j] = other[p]
            other[p] = kept
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
        found = decompose_panel(panel, left, width, exchanged)
        failed = start + found if found and not failed else failed
        for i in range(width):
            exchanged[i] += start
            if exchanged[i] != start + i:
                exchange(a + (start + i) * row, a + exchanged[i] * row, like, columns)
        transpose_at(like, address(panel), left * size, width, left, corner, row)
        done = start + width
        reach = (done // BLOCK & -(done // BLOCK)) * BLOCK
        first, behind = done - reach, min(wide - done, reach)
        if behind > 0:
            lower, upper, rest = a + first * (row + size), a + first * row + done * size, a + done * (row + size)
            solve_lower(lower, row, upper, row, reach, behind, True, space)
            subtract_product(lower + reach * row, row, upper, row, rest, row, rows - done, reach, behind, space)
    if columns > wide:
        solve_lower(a, row, a + wide * size, row, rows, columns - wide, True, space)
    return failed


@jit
def decompose_each(a: Array, pivots: Array, info: Array, first: int, last: int) -> None:
    """Decompose some contiguous matrices of a batch in place."""
    rows, columns = a.shape[1:]
    like, count = a.dtype.type(0), min(rows, columns)
    panel, space = empty_row(like, BLOCK * rows), empty_row(like, rows * columns)
    for i in range(first, last):
        exchanged = part_of(pivots, i * count, count)
        info[i] = decompose(address(a[i]), rows, columns, exchanged, panel, space)


@jit
def solve_each(a: Array, pivots: Array, b: Array, first: int, last: int) -> None:
    """B = A^-1 B for contiguous matrices, by what `decompose_each` gave of A: a range of blocks of columns of all."""
    rows, columns = b.shape[1:]
    like, blocks = a.dtype.type(0), (columns + COLUMNS - 1) // COLUMNS
    size, space = item_size(like), empty_row(like, rows * max(COLUMNS, BLOCK))
    for k in range(first, last):
        i, start = k // blocks, k % blocks * COLUMNS
        count, at, factors = min(COLUMNS, columns - start), address(b[i]) + start * size, address(a[i])
        for r in range(rows):
            if pivots[i, r] != r:
                exchange(at + r * columns * size, at + pivots[i, r] * columns * size, like, count)
        solve_lower(factors, rows * size, at, columns * size, rows, count, True, space)
        solve_upper(factors, rows * size, at, columns * size, rows, count, False, space)


@jit
def invert_each(a: Array, pivots: Array, out: Array, first: int, last: int) -> None:
    """A^-1 for square matrices, by what `decompose_each` gave of A: a range of blocks of columns of all.

    Columns of (L U)^-1 are found by a lower triangle that begins where the columns of the identity do; exchanges of
    rows of A are exchanges of columns of the inverse.
    """
    rows = a.shape[1]
    like, blocks = a.dtype.type(0), (rows + COLUMNS - 1) // COLUMNS
    size, space = item_size(like), empty_row(like, rows * COLUMNS)
    part, order = empty_row(like, rows * COLUMNS), empty_row(0, rows)
    for k in range(first, last):
        i, start = k // blocks, k % blocks * COLUMNS
        count, factors = min(COLUMNS, rows - start), address(a[i])
        for j in range(rows * count):
            part[j] = 0
        for j in range(count):
            part[(start + j) * count + j] = 1
        at, lower = address(part) + start * count * size, factors + start * (rows + 1) * size
        solve_lower(lower, rows * size, at, count * size, rows - start, count, True, space)
        solve_upper(factors, rows * size, address(part), count * size, rows, count, False, space)
        for r in range(rows):
            order[r] = r
        for r in range(rows):
            p = pivots[i, r]
            kept = order[r]
            order[r] = order[p]
            order[p] = kept
        for r in range(rows):
            row, to = part_of(part, r * count, count), out[i, r]
            for j in range(count):
                to[order[start + j]] = row[j]


@jit
def log_determinant_each(a: Array, pivots: Array, signs: Array, logarithms: Array, first: int, last: int) -> None:
    """The signs of determinants, 0 for those that are 0, and the logarithms of their absolute values."""
    for i in range(first, last):
        sign, total = 1.0, 0.0
        for j in range(a.shape[1]):
            value = a[i, j, j]
            sign = -sign if pivots[i, j] != j else sign
            sign = 0 * value if value == 0 or value != value else -sign if value < 0 else sign
            total += math.log(abs(value))
        signs[i], logarithms[i] = sign, total


@jit
def determinant_each(a: Array, pivots: Array, out: Array, first: int, last: int) -> None:
    """Determinants: products of the diagonals, with the other sign for each exchange."""
    for i in range(first, last):
        product = 1.0
        for j in range(a.shape[1]):
            product *= -a[i, j, j] if pivots[i, j] != j else a[i, j, j]
        out[i] = product


def decomposed(a: Array) -> tuple[Array, Array, Array]:
    """L and U in one matrix, for each row the one it was exchanged for, and the first pivot that is 0, counted from 1,
    or 0: of a batch of matrices of real numbers, flat."""
    packed = np.array(a, order="C").reshape(-1, *a.shape[-2:])
    count, rows, columns = packed.shape
    pivots, info = np.empty((count, min(rows, columns)), np.int32), np.empty(count, np.int32)
    if is_small(packed):
        shared(decompose_small, (packed, pivots, info), _groups(packed), _work(packed, columns) // 3)
    else:
        shared(decompose_each, (packed, pivots, info), count, _work(packed, columns) // 3)
    return packed, pivots, info


def solutions(packed: Array, pivots: Array, b: Array) -> Array:
    """X with A X = B, by what `decomposed` gives of A."""
    result = np.array(b, order="C")
    flat = result.reshape(len(packed), *b.shape[-2:])
    columns = b.shape[-1]
    if is_small(packed):
        shared(solve_small, (packed, pivots, flat), _groups(packed), _work(packed, columns))
        return result
    shared(solve_each, (packed, pivots, flat), len(packed) * _blocks(columns), _work(packed, columns))
    return result


def inverses(packed: Array, pivots: Array) -> Array:
    """A^-1, by what `decomposed` gives of A."""
    result, columns = np.empty_like(packed), packed.shape[-1]
    if is_small(packed):
        shared(invert_small, (packed, pivots, result), _groups(packed), _work(packed, columns))
        return result
    shared(invert_each, (packed, pivots, result), len(packed) * _blocks(columns), _work(packed, columns))
    return result


def is_small(matrices: Array) -> bool:
    """Whether square matrices have so few rows that several are decomposed side by side."""
    rows, columns = matrices.shape[-2:]
    return bool(rows == columns <= BLOCK)


def _groups(matrices: Array) -> int:
    return -(-len(matrices) // TOGETHER)


def _work(matrices: Array, columns: int) -> int:
    """Products of a batch with as many columns, in elements of other work."""
    return matrices.size * columns // PRODUCTS


def _blocks(columns: int) -> int:
    return (columns + COLUMNS - 1) // COLUMNS
