"""Singular values and vectors of real matrices: to two diagonals and back by our own loops.

Of a matrix with more rows than columns R is found first. Reflections from both sides bring a square matrix to two
diagonals, A = P B Q^T, LAPACK divides and conquers B, and reflections in blocks reach its singular vectors.
"""

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import fma
from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.matmul import PRODUCTS, transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, call_c, empty_row, item_size, part_of, row_at
from ...kernels.llvm.rank_updates import ROWS, WIDTH, rank_two_product, row_products
from .cpu_cholesky import BLOCK
from .cpu_eigh import LAPACK_COMPZ_I, scale_all, scale_to_unit, too_short
from .cpu_qr import all_triangles, factorize, inner_product, keep_reflection, length_of, reflect_back, reflection_of

LAPACK_UPLO_U = ord("U")  # the second diagonal is the upper one


@jit
def take_both(
    a: Array, k: int, n: int, row: int, corner: int, v: Array, z: Array, y: Array, u: Array, x: Array, sums: Array
) -> None:
    """A - v z^T - y u^T from row k and column `corner`, and x^T times that added to `sums`."""
    like, size = a.dtype.type(0), item_size(a.dtype.type(0))
    behind = corner * size
    for i in range(k // ROWS * ROWS, n, ROWS):
        at, here = i * size, address(a) + i * size * row + behind
        v_at, y_at, x_at = address(v) + at, address(y) + at, address(x) + at
        z_side, u_side, out = address(z) + behind, address(u) + behind, address(sums) + behind
        rank_two_product(like, here, row * size, row - corner, v_at, z_side, y_at, u_side, x_at, out)


@jit
def times_rest(a: Array, k: int, n: int, row: int, corner: int, u: Array, products: Array) -> None:
    like, size = a.dtype.type(0), item_size(a.dtype.type(0))
    behind = corner * size
    for i in range(k // ROWS * ROWS, n, ROWS):
        here = address(a) + i * row * size + behind
        row_products(like, here, row * size, row - corner, address(u) + behind, address(products) + i * size)


@jit
def bidiagonalize(
    a: Array, n: int, row: int, d: Array, e: Array, left: Array, left_factors: Array, right: Array,
    right_factors: Array, space: Array,
) -> None:  # fmt: skip
    """The diagonals of B, and the reflections of rows, and of columns behind the first; A, in padded rows, is lost."""
    like = a.dtype.type(0)
    for i in range(7 * row):
        space[i] = 0
    # A reflection of rows takes v z^T away, one of columns y u^T; x is the next v, before it is known what z is.
    v, z, y = part_of(space, 0, row), part_of(space, row, row), part_of(space, 2 * row, row)
    u, x, sums = part_of(space, 3 * row, row), part_of(space, 4 * row, row), part_of(space, 5 * row, row)
    products = part_of(space, 6 * row, row)
    for k in range(n):
        corner, rest = (k + 1) // WIDTH * WIDTH, n - k - 1
        side, over, below = z[k], u[k], part_of(x, k, n - k)
        for i in range(k, n):
            x[i] = fma(-v[i], side, fma(-y[i], over, a[i * row + k]))
        left_factors[k], d[k] = reflection_of(below, too_short(like))
        keep_reflection(left, n, k, below)
        for j in range(row):
            sums[j] = 0
        if rest:
            take_both(a, k, n, row, corner, v, z, y, u, x, sums)
        factor = left_factors[k]
        for j in range(k + 1):
            z[j], u[j], y[j] = 0, 0, 0
        for j in range(k + 1, n):
            z[j] = factor * sums[j]
            u[j] = a[k * row + j] - z[j]
        for i in range(k, n):
            v[i], x[i] = x[i], x[i] if i > k else 0
        if rest:
            behind = part_of(u, k + 1, rest)
            right_factors[k], e[k] = reflection_of(behind, too_short(like))
            keep_reflection(right, n - 1, k, behind)
            times_rest(a, k + 1, n, row, corner, u, products)
            factor, both = right_factors[k], inner_product(part_of(z, k + 1, rest), behind)
            for i in range(k + 1, n):
                y[i] = factor * fma(-v[i], both, products[i])


@jit
def conquer_both(solver: int, d: Array, e: Array, u: Array, v: Array) -> int:
    """The singular values of B in place of its diagonal, the left vectors as rows, the right ones as columns."""
    n = d.size
    work, ints = empty_row(d[0], 3 * n * n + 4 * n), empty_row(np.int32(0), 8 * n + 4)
    at, size = address(ints), 4
    ints[0], ints[1], ints[2], ints[3] = LAPACK_UPLO_U, LAPACK_COMPZ_I, n, 0
    count = at + 2 * size
    operands = at, at + size, count, address(d), address(e), address(u), count, address(v), count
    call_c(solver, operands + (address(work), at, address(work), at + 4 * size, at + 3 * size))
    return ints[3]


@jit
def load_square(a: int, n: int, row: int, to: Array) -> None:
    like, size = to.dtype.type(0), item_size(to.dtype.type(0))
    for i in range(to.size):
        to[i] = 0
    for i in range(n):
        value, line = row_at(like, a + i * n * size, n), part_of(to, i * row, n)
        for j in range(line.size):
            line[j] = value[j]


@jit
def singular_each(a: Array, u: Array, values: Array, v: Array, info: Array, solver: int, first: int, last: int) -> None:
    """U, singular values in descending order and V of matrices, which are lost; `info` is not 0 where that fails."""
    rows, n = a.shape[1], a.shape[2]
    like, size, row = a.dtype.type(0), item_size(a.dtype.type(0)), (n + WIDTH - 1) // WIDTH * WIDTH
    blocks, line = (n + BLOCK - 1) // BLOCK, n * size
    full, e = empty_row(like, row * row), empty_row(like, n)
    triangles, factors = empty_row(like, blocks * BLOCK * BLOCK), empty_row(like, 2 * n)
    upper, upper_triangles = empty_row(like, blocks * BLOCK * rows), empty_row(like, blocks * BLOCK * BLOCK)
    left, right = empty_row(like, blocks * BLOCK * n), empty_row(like, blocks * BLOCK * n)
    space = empty_row(like, 2 * BLOCK * n + 7 * row)
    left_factors, right_factors = part_of(factors, 0, n), part_of(factors, n, n)
    for i in range(first, last):
        value, d, to, over = part_of(a, i * rows * n, rows * n), part_of(values, i * n, n), address(u[i]), address(v[i])
        norm = length_of(value)
        factor = scale_to_unit(norm, like)
        scale_all(value, factor)
        if rows > n:
            factorize(address(value), rows, n, upper, upper_triangles, space)
        load_square(address(value), n, row, full)
        bidiagonalize(full, n, row, d, e, left, left_factors, right, right_factors, space)
        result = part_of(full, 0, n * n)
        info[i] = conquer_both(solver, d, e, result, part_of(v, i * n * n, n * n)) if norm - norm == 0 else 1
        scale_all(d, 1 / factor)
        transpose_at(like, address(result), line, n, n, to, line)
        lower = row_at(like, to + n * line, (rows - n) * n)
        for j in range(lower.size):
            lower[j] = 0
        all_triangles(left, n, n, left_factors, triangles)
        reflect_back(to, line, n, n, n, left, triangles, False, space)
        if rows > n:
            reflect_back(to, line, rows, n, n, upper, upper_triangles, False, space)
        all_triangles(right, n - 1, n - 1, right_factors, triangles)
        reflect_back(over + line, line, n - 1, n, n - 1, right, triangles, False, space)


def singular_vectors(a: Array, solver: int) -> tuple[Array, Array, Array]:
    """U, the singular values in descending order, V^T, reduced; `solver` is the address of LAPACK's bdsdc."""
    wide = a.shape[-2] < a.shape[-1]
    value = np.array(a.swapaxes(-1, -2) if wide else a, order="C")
    rows, n = value.shape[-2:]
    flat = value.reshape(-1, rows, n)
    u, v = np.empty(flat.shape, a.dtype), np.empty((len(flat), n, n), a.dtype)
    values, info = np.empty((len(flat), n), a.dtype), np.empty(len(flat), np.int64)
    work = 8 * flat.size * n // PRODUCTS
    shared(singular_each, (flat, u, values.reshape(-1), v, info, solver), len(flat), work)
    if info.any():
        raise np.linalg.LinAlgError("SVD did not converge")
    one, other = (v, u) if wide else (u, v)
    u, vh = one.reshape(*a.shape[:-2], *one.shape[1:]), contiguous(other.swapaxes(-1, -2))
    return u, values.reshape(*a.shape[:-2], n), vh.reshape(*a.shape[:-2], *vh.shape[1:])
