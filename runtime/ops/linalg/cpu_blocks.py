"""Blocks of matrices at addresses: products that are taken away from them, and triangular systems solved in place.

Rows of all matrices are contiguous, and so many bytes apart. Triangles go by blocks of few rows, so that nearly all of
the work is products in register tiles (runtime/kernels/cpu/matmul.py). `space` is memory for the product's smaller
factor with the other sign.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.matmul import multiply_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, item_size, row_at
from ...kernels.llvm.matrices.tiles import panel_bytes

Array = np.ndarray

BLOCK = 16  # rows or columns that are eliminated one by one before a product does the rest


@jit
def negated(like: float, source: int, source_row: int, rows: int, columns: int, to: int) -> None:
    """Write -A as a contiguous matrix."""
    for i in range(rows):
        row, out = (
            row_at(like, source + i * source_row, columns),
            row_at(like, to + i * columns * item_size(like), columns),
        )
        for j in range(out.size):
            out[j] = -row[j]


@jit
def subtract_product(
    a: int, a_row: int, b: int, b_row: int, c: int, c_row: int, rows: int, depth: int, columns: int, space: Array
) -> None:
    """C = C - A B."""
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
    """row = row - factor other."""
    for j in range(row.size):
        row[j] -= factor * other[j]


@jit
def solve_lower(a: int, a_row: int, b: int, b_row: int, rows: int, columns: int, unit: bool, space: Array) -> None:
    """B = A^-1 B of the lower triangle of A, with 1 on its diagonal if `unit`."""
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
    """B = A^-1 B of the upper triangle of A, with 1 on its diagonal if `unit`."""
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
