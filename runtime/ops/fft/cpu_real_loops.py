"""Fourier transforms of real matrices that lie in near memory as wholes, and of rows of an odd number of real numbers.

Rows of even places are real parts and those of odd places imaginary parts of a matrix that is half as high; from its
transform that of the real matrix follows, as for signals. Odd rows are transformed as complex numbers.
"""

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.fft_spectra import paired_rows
from .cpu_loops import PLANE_OFFSET, all_passes, join, rows_of_steps, twiddled_passes

MAX_MATRIX_ELEMENTS = 1 << 14  # numbers of a matrix
WIDTH = 16  # a multiple of all processors' lanes


def takes_matrix(rows: int, columns: int) -> bool:
    return rows % 2 == 0 and columns % WIDTH == 0 and rows * columns <= MAX_MATRIX_ELEMENTS


@jit
def transform_either_matrices(
    x: Array, out: Array, along: Array, double_along: Array, across: Array, table: Array, double_table: Array,
    scale: float, n: int, columns: int, inverse: int, block: int, twiddled: int, offset: int, last_offset: int,
    double_block: int, double_twiddled: int, double_offset: int, double_last_offset: int, first: int, last: int,
) -> None:  # fmt: skip
    """The transforms of some real matrices with 2 n rows: steps `along` rows, and those `across` them.

    For either precision a table of integers has the factors of rows, from `offset` on those of columns, then cosines.
    """
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    if size == 8:
        along, table, block, twiddled = double_along, double_table, double_block, double_twiddled
        offset, last_offset = double_offset, double_last_offset
    at, word = address(table), item_size(table[0])
    factors, across_factors = row_at(like, at, 0), row_at(like, at + offset * word, 0)
    twiddles, rows, lines = row_at(like, at + last_offset * word, 2 * n), rows_of_steps(along), rows_of_steps(across)
    back, plane = inverse != 0, (block * columns * size + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    plane += PLANE_OFFSET
    space = empty_row(like, (4 * plane + 2 * PLANE_OFFSET) // size)
    for i in range(space.size if twiddled else 0):
        space[i] = 0
    one = (address(space) + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    for k in range(first, last):
        halves_of(part_of(x, k * 2 * n * columns, 2 * n * columns), n, columns, one, plane)
        if twiddled:
            here = twiddled_passes(rows, factors, back, columns, block, n, plane, one, one + 2 * plane)
        else:
            here = all_passes(rows, factors, back, 1, n, plane, one, one + 2 * plane)
        other = one if here != one else one + 2 * plane
        here = all_passes(lines, across_factors, back, columns, 1, plane, here, other)
        to = address(out) + k * 4 * n * columns * size
        join_rows(here, plane, n, columns, twiddles, back, x.dtype.type(scale), to)


@jit
def halves_of(x: Array, n: int, columns: int, at: int, plane: int) -> None:
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    for i in range(2 * n):
        row = part_of(x, i * columns, columns)
        to = row_at(like, at + i // 2 * columns * size + i % 2 * plane, columns)
        for j in range(columns):
            to[j] = row[j]


@jit
def join_rows(
    at: int, plane: int, n: int, columns: int, twiddles: Array, inverse: bool, scale: float, out: int
) -> None:
    size = item_size(scale)
    row = columns * size
    for i in range(n):
        sine = -twiddles[n + i] if inverse else twiddles[n + i]
        here, there = at + i * row, at + ((n - i) if i else 0) * row
        to = out + i * 2 * row
        paired_rows(scale, here, there, plane, to, to + n * 2 * row, columns, twiddles[i], sine, scale)


@jit
def transform_odd_rows(
    x: Array, out: Array, steps: Array, table: Array, double_steps: Array, double_table: Array, scale: float,
    pairs: float, n: int, block: int, double_block: int, to_half: int, inverse: int, first: int, last: int,
) -> None:  # fmt: skip
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
    n = real.size
    real[0], imaginary[0] = row[0], 0
    for k in range(1, n // 2 + 1):
        real[k], imaginary[k] = row[2 * k] * pairs, row[2 * k + 1] * pairs
        real[n - k], imaginary[n - k] = real[k], -imaginary[k]


@jit
def write_odd_rows(
    to_half: bool, n: int, pairs: float, first: int, count: int, at: int, plane: int, scale: float, nothing: float,
    out: Array,
) -> None:  # fmt: skip
    """Rows of n real numbers, or halves of their spectra; `nothing` is the imaginary part of a real one."""
    like, by_pairs = out.dtype.type(0), scale * pairs
    real, imaginary = row_at(like, at, count * n), row_at(like, at + plane, count * n)
    numbers = part_of(out, first * n, 0 if to_half else count * n)
    for i in range(numbers.size):
        numbers[i] = real[i] * scale
    for r in range(count if to_half else 0):
        row = part_of(out, (first + r) * (n + 1), n + 1)
        join(part_of(real, r * n, n // 2 + 1), part_of(imaginary, r * n, n // 2 + 1), by_pairs, row)
        row[0], row[1] = real[r * n] * scale, nothing
