"""Transforms of rows of an odd number of real numbers, and back from half of their spectra: as of complex numbers."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from .cpu_loops import PLANE_OFFSET, join, rows_of_steps, twiddled_passes

Array = np.ndarray


@jit
def transform_odd_rows(
    x: Array,
    out: Array,
    steps: Array,
    table: Array,
    double_steps: Array,
    double_table: Array,
    scale: float,
    pairs: float,
    n: int,
    block: int,
    double_block: int,
    to_half: int,
    inverse: int,
    first: int,
    last: int,
) -> None:
    """The halves of the spectra of some rows of n numbers, or such rows from halves; tables are of either precision."""
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    if size == 8:
        steps, table, block = double_steps, double_table, double_block
    rows, factors = rows_of_steps(steps), row_at(like, address(table), 0)
    plane = (block * n * size + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET + PLANE_OFFSET
    space = empty_row(like, (4 * plane + 2 * PLANE_OFFSET) // size)
    for i in range(space.size):
        space[i] = 0
    one = (address(space) + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    for start in range(first, last, block):
        count = min(block, last - start)
        read_odd_rows(x, to_half != 0, n, like + pairs, start, count, one, plane)
        at = twiddled_passes(rows, factors, inverse != 0, n, block, count, plane, one, one + 2 * plane)
        nothing = x.dtype.type(-0.0 if inverse else 0.0)
        write_odd_rows(to_half != 0, n, like + pairs, start, count, at, plane, like + scale, nothing, out)


@jit
def read_odd_rows(x: Array, are_real: bool, n: int, pairs: float, first: int, count: int, at: int, plane: int) -> None:
    """Some rows of n real numbers, or all of the symmetric spectra, from their halves."""
    like = x.dtype.type(0)
    real, imaginary = row_at(like, at, count * n), row_at(like, at + plane, count * n)
    numbers = part_of(x, first * n, count * n if are_real else 0)
    for i in range(numbers.size):
        real[i] = numbers[i]
        imaginary[i] = 0
    for r in range(0 if are_real else count):
        row = part_of(x, (first + r) * (n + 1), n + 1)
        full_of_odd(row, pairs, part_of(real, r * n, n), part_of(imaginary, r * n, n))


@jit
def full_of_odd(row: Array, pairs: float, real: Array, imaginary: Array) -> None:
    """All of a symmetric spectrum, from its half; the first number is real."""
    n = real.size
    real[0], imaginary[0] = row[0], 0
    for k in range(1, n // 2 + 1):
        real[k], imaginary[k] = row[2 * k] * pairs, row[2 * k + 1] * pairs
        real[n - k], imaginary[n - k] = real[k], -imaginary[k]


@jit
def write_odd_rows(
    to_half: bool,
    n: int,
    pairs: float,
    first: int,
    count: int,
    at: int,
    plane: int,
    scale: float,
    nothing: float,
    out: Array,
) -> None:
    """Some rows of n real numbers, or of the halves of their spectra, from their parts; `nothing` is that of a real one
    which is imaginary."""
    like, by_pairs = out.dtype.type(0), scale * pairs
    real, imaginary = row_at(like, at, count * n), row_at(like, at + plane, count * n)
    numbers = part_of(out, first * n, 0 if to_half else count * n)
    for i in range(numbers.size):
        numbers[i] = real[i] * scale
    for r in range(count if to_half else 0):
        row = part_of(out, (first + r) * (n + 1), n + 1)
        join(part_of(real, r * n, n // 2 + 1), part_of(imaginary, r * n, n // 2 + 1), by_pairs, row)
        row[0], row[1] = real[r * n] * scale, nothing
