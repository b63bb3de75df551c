"""LU decompositions of small matrices, solutions and inverses from them: sixteen matrices at once.

Matrices of a group lie side by side meanwhile, so that vectors hold the same element of several of them and no row is
too short. A range of a kernel is one of groups.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import bits, choose
from ...kernels.cpu.matmul import transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of
from ...kernels.llvm.rank_updates import BATCH_MATRICES, subtract_multiples

_REST32, _REST64 = np.int32(2**31 - 1), np.int64(2**63 - 1)


@jit
def interleave(source: int, count: int, numbers: int, to: Array) -> None:
    like, size = to.dtype.type(0), item_size(to.dtype.type(0))
    for i in range(to.size if count < BATCH_MATRICES else 0):
        to[i] = 0
    transpose_at(like, source, numbers * size, count, numbers, address(to), BATCH_MATRICES * size)


@jit
def deinterleave(source: Array, count: int, numbers: int, to: int) -> None:
    like, size = source.dtype.type(0), item_size(source.dtype.type(0))
    transpose_at(like, address(source), BATCH_MATRICES * size, numbers, count, to, numbers * size)


@jit
def batched_argmax(a: Array, n: int, k: int, tops: Array, positions: Array) -> None:
    """Of each matrix the row from k on in which the greatest absolute value of column k first is, by bits."""
    rest = choose(a.dtype.type(0), _REST32, _REST64)
    for lane in range(BATCH_MATRICES):
        tops[lane], positions[lane] = bits(a.dtype.type(0)), k
    for i in range(k, n):
        column = part_of(a, (i * n + k) * BATCH_MATRICES, BATCH_MATRICES)
        for lane in range(BATCH_MATRICES):
            value = bits(column[lane]) & rest
            better = value > tops[lane]
            tops[lane] = value if better else tops[lane]
            positions[lane] = i if better else positions[lane]


@jit
def swap_in_lane(a: Array, columns: int, i: int, j: int, lane: int) -> None:
    size = columns * BATCH_MATRICES
    one, other = part_of(a, i * size, size), part_of(a, j * size, size)
    for c in range(columns):
        saved_value = one[c * BATCH_MATRICES + lane]
        one[c * BATCH_MATRICES + lane] = other[c * BATCH_MATRICES + lane]
        other[c * BATCH_MATRICES + lane] = saved_value


@jit
def divide_rows(rows: Array, divisors: Array, count: int) -> None:
    for c in range(count):
        row = part_of(rows, c * BATCH_MATRICES, BATCH_MATRICES)
        for lane in range(BATCH_MATRICES):
            row[lane] /= divisors[lane]


@jit
def decompose_small(
    a: Array, packed: Array, pivots: Array, info: Array, matrices: int, n: int, first: int, last: int
) -> None:
    like = a.dtype.type(0)
    size, group = item_size(like), empty_row(like, n * n * BATCH_MATRICES)
    tops, positions = empty_row(bits(like), BATCH_MATRICES), empty_row(0, BATCH_MATRICES)
    divisors = empty_row(like, BATCH_MATRICES)
    for g in range(first, last):
        begin = g * BATCH_MATRICES
        count = min(BATCH_MATRICES, matrices - begin)
        interleave(address(a) + begin * n * n * size, count, n * n, group)
        for lane in range(count):
            info[begin + lane] = 0
        for k in range(n):
            batched_argmax(group, n, k, tops, positions)
            for lane in range(count):
                pivots[(begin + lane) * n + k] = positions[lane] + 1
                if positions[lane] != k:
                    swap_in_lane(group, n, k, positions[lane], lane)
                if group[(k * n + k) * BATCH_MATRICES + lane] == 0 and info[begin + lane] == 0:
                    info[begin + lane] = k + 1
            pivot = part_of(group, (k * n + k) * BATCH_MATRICES, BATCH_MATRICES)
            for lane in range(BATCH_MATRICES):
                divisors[lane] = pivot[lane] if pivot[lane] != 0 else like + 1
            for i in range(k + 1, n):
                position = (i * n + k) * BATCH_MATRICES
                divide_rows(part_of(group, position, BATCH_MATRICES), divisors, 1)
                at = address(group) + position * size
                source = address(group) + (k * n + k + 1) * BATCH_MATRICES * size
                subtract_multiples(like, at, source, at + BATCH_MATRICES * size, n - k - 1)
        deinterleave(group, count, n * n, address(packed) + begin * n * n * size)


@jit
def solve_lower_small(factors: Array, n: int, b: Array, columns: int, unit: bool) -> None:
    like, size = b.dtype.type(0), item_size(b.dtype.type(0))
    row = columns * BATCH_MATRICES * size
    for i in range(n):
        for k in range(i):
            at = address(factors) + (i * n + k) * BATCH_MATRICES * size
            subtract_multiples(like, at, address(b) + k * row, address(b) + i * row, columns)
        if not unit:
            pivot = part_of(factors, (i * n + i) * BATCH_MATRICES, BATCH_MATRICES)
            divide_rows(part_of(b, i * columns * BATCH_MATRICES, columns * BATCH_MATRICES), pivot, columns)


@jit
def solve_upper_small(factors: Array, n: int, b: Array, columns: int, unit: bool) -> None:
    like, size = b.dtype.type(0), item_size(b.dtype.type(0))
    row = columns * BATCH_MATRICES * size
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            at = address(factors) + (i * n + k) * BATCH_MATRICES * size
            subtract_multiples(like, at, address(b) + k * row, address(b) + i * row, columns)
        if not unit:
            pivot = part_of(factors, (i * n + i) * BATCH_MATRICES, BATCH_MATRICES)
            divide_rows(part_of(b, i * columns * BATCH_MATRICES, columns * BATCH_MATRICES), pivot, columns)


@jit
def solve_small(
    packed: Array, pivots: Array, info: Array, b: Array, out: Array, matrices: int, n: int, columns: int,
    first: int, last: int,
) -> None:  # fmt: skip
    like = b.dtype.type(0)
    size, factors = item_size(like), empty_row(like, n * n * BATCH_MATRICES)
    group = empty_row(like, n * columns * BATCH_MATRICES)
    for g in range(first, last):
        begin = g * BATCH_MATRICES
        count = min(BATCH_MATRICES, matrices - begin)
        interleave(address(packed) + begin * n * n * size, count, n * n, factors)
        interleave(address(b) + begin * n * columns * size, count, n * columns, group)
        for i in range(n):
            for lane in range(count):
                other = pivots[(begin + lane) * n + i] - 1
                if other != i:
                    swap_in_lane(group, columns, i, other, lane)
        solve_lower_small(factors, n, group, columns, True)
        solve_upper_small(factors, n, group, columns, False)
        deinterleave(group, count, n * columns, address(out) + begin * n * columns * size)
        for i in range(begin, begin + count):
            undefine(part_of(out, i * n * columns, n * columns), info[i])


@jit
def solve_triangular_small(
    a: Array, b: Array, out: Array, matrices: int, n: int, columns: int, upper: int, unit: int, first: int, last: int
) -> None:
    like = b.dtype.type(0)
    size, factors = item_size(like), empty_row(like, n * n * BATCH_MATRICES)
    group = empty_row(like, n * columns * BATCH_MATRICES)
    for g in range(first, last):
        begin = g * BATCH_MATRICES
        count = min(BATCH_MATRICES, matrices - begin)
        interleave(address(a) + begin * n * n * size, count, n * n, factors)
        interleave(address(b) + begin * n * columns * size, count, n * columns, group)
        if upper:
            solve_upper_small(factors, n, group, columns, unit != 0)
        else:
            solve_lower_small(factors, n, group, columns, unit != 0)
        deinterleave(group, count, n * columns, address(out) + begin * n * columns * size)


@jit
def undefine(matrix: Array, failed: int) -> None:
    """Make all of a matrix nan where its decomposition has failed."""
    for i in range(matrix.size if failed else 0):
        matrix[i] = math.nan


@jit
def swap_columns(matrix: Array, n: int, i: int, j: int) -> None:
    for r in range(n):
        saved_value = matrix[r * n + i]
        matrix[r * n + i] = matrix[r * n + j]
        matrix[r * n + j] = saved_value


@jit
def invert_small(
    packed: Array, pivots: Array, info: Array, out: Array, matrices: int, n: int, first: int, last: int
) -> None:
    """`invert_each`, by what `decompose_small` gave: rows of L^-1 are as long as those of L."""
    like = out.dtype.type(0)
    size, factors = item_size(like), empty_row(like, n * n * BATCH_MATRICES)
    group = empty_row(like, n * n * BATCH_MATRICES)
    row = n * BATCH_MATRICES * size
    for g in range(first, last):
        begin = g * BATCH_MATRICES
        count = min(BATCH_MATRICES, matrices - begin)
        interleave(address(packed) + begin * n * n * size, count, n * n, factors)
        for i in range(group.size):
            group[i] = 0
        for i in range(n):
            line = part_of(group, i * (n + 1) * BATCH_MATRICES, BATCH_MATRICES)
            for lane in range(BATCH_MATRICES):
                line[lane] = 1
            for k in range(i):
                at = address(factors) + (i * n + k) * BATCH_MATRICES * size
                subtract_multiples(like, at, address(group) + k * row, address(group) + i * row, k + 1)
        solve_upper_small(factors, n, group, n, False)
        deinterleave(group, count, n * n, address(out) + begin * n * n * size)
        for m in range(begin, begin + count):
            matrix = part_of(out, m * n * n, n * n)
            for r in range(n - 1, -1, -1):
                p = pivots[m * n + r] - 1
                if p != r:
                    swap_columns(matrix, n, r, p)
            undefine(matrix, info[m])
