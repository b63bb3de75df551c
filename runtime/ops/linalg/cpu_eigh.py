"""Eigenvalues and eigenvectors of real symmetric matrices: to three diagonals and back by our own loops.

Reflections bring a matrix to three diagonals: A = Q T Q^T. Rotations bring those of smaller matrices to one, LAPACK
divides and conquers those of larger ones, and Q is multiplied by the eigenvectors of T in blocks. A reflection changes
all of what is left by products of columns and rows, and the next one needs the product of that with its vector, so both
are found while the matrix is read once.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import choose, fma
from ...device.threads.parallel_for import shared
from ...kernels.cpu.matmul import PRODUCTS, transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, call_c, empty_row, item_size, part_of, row_at
from ...kernels.llvm.rank_updates import ROWS, WIDTH, rank_two_product, rotate_rows
from .cpu_cholesky import BLOCK
from .cpu_qr import all_triangles, inner_product, keep_reflection, length_of, reflect_back, reflection_of

ROTATED = 192  # rows of a matrix, up to which rotations take less than LAPACK does
SMALL = 1e-150  # squares that are taken for 0
MAX_STEPS = 40  # for one eigenvalue: some two are usual
LAPACK_COMPZ_I = ord("I")  # by which LAPACK is asked for the vectors of what it is given


@jit
def scale_to_unit(norm: float, like: float) -> float:
    """What a matrix of this norm is multiplied by, so that products of its numbers are not too large or too small."""
    low, high = choose(like, 1e-12, 1e-20), choose(like, 1e12, 1e20)
    return low / norm if 0 < norm < low else high / norm if norm > high else 1.0


@jit
def too_short(like: float) -> float:
    """Columns of a matrix that is near one are taken for 0 up to this length."""
    return choose(like, 1e-30, 1e-45)


@jit
def scale_all(x: Array, factor: float) -> None:
    for i in range(x.size if factor != 1 else 0):
        x[i] = float(x[i]) * factor


@jit
def load_symmetric(a: int, n: int, row: int, to: Array) -> None:
    """The whole symmetric matrix whose lower triangle is given, zeros behind its rows of `row` numbers."""
    like, size = to.dtype.type(0), item_size(to.dtype.type(0))
    for i in range(to.size):
        to[i] = 0
    transpose_at(like, a, n * size, n, n, address(to), row * size)
    for i in range(n):
        value, line = row_at(like, a + i * n * size, i + 1), part_of(to, i * row, i + 1)
        for j in range(line.size):
            line[j] = value[j]


@jit
def tridiagonalize(
    a: Array, n: int, row: int, d: Array, e: Array, vectors: Array, factors: Array, space: Array
) -> None:
    """The diagonals of T, and the reflections, which leave the first row alone; A is lost."""
    like, size = a.dtype.type(0), item_size(a.dtype.type(0))
    for i in range(4 * row):
        space[i] = 0
    v, w = part_of(space, 0, row), part_of(space, row, row)
    u, y = part_of(space, 2 * row, row), part_of(space, 3 * row, row)
    for k in range(n - 1):
        line, less, other, left = part_of(a, k * row, row), v[k], w[k], n - k - 1
        for j in range(k, n):
            line[j] = fma(-less, w[j], fma(-other, v[j], line[j]))
        d[k], u[k] = line[k], 0
        for j in range(k + 1, n):
            u[j] = line[j]
        factors[k], e[k] = reflection_of(part_of(u, k + 1, left), too_short(like))
        keep_reflection(vectors, n - 1, k, part_of(u, k + 1, left))
        for j in range(row):
            y[j] = 0
        first, corner = (k + 1) // ROWS * ROWS, (k + 1) // WIDTH * WIDTH
        for i in range(first, n, ROWS):
            here, at, side, line = address(a) + (i * row + corner) * size, i * size, corner * size, row * size
            v_at, w_at, u_at = address(v) + at, address(w) + at, address(u) + at
            v_side, w_side, y_side = address(v) + side, address(w) + side, address(y) + side
            rank_two_product(like, here, line, row - corner, v_at, w_side, w_at, v_side, u_at, y_side)
        factor = factors[k]
        half = inner_product(part_of(y, k + 1, left), part_of(u, k + 1, left)) * factor * factor / 2
        for j in range(k + 1):
            v[j], w[j] = 0, 0
        for j in range(k + 1, n):
            v[j], w[j] = u[j], fma(-half, u[j], factor * y[j])
    d[n - 1] = a[(n - 1) * row + n - 1]


@jit
def conquer(solver: int, d: Array, e: Array, z: Array) -> int:
    n = d.size
    work, ints = empty_row(d[0], 1 + 4 * n + n * n), empty_row(np.int32(0), 5 * n + 9)
    at, size = address(ints), 4
    ints[0], ints[1], ints[2], ints[3], ints[4] = LAPACK_COMPZ_I, n, work.size, 5 * n + 3, 0
    matrices = at, at + size, address(d), address(e), address(z), at + size
    call_c(solver, matrices + (address(work), at + 2 * size, at + 5 * size, at + 3 * size, at + 4 * size))
    return ints[4]


@jit
def chase(d: Array, e: Array, first: int, last: int, shift: float, z: Array, row: int) -> None:
    """One step for rows `first` to `last` of T: T - shift = Q L, and L Q + shift takes its place.

    Rotation i leaves nothing of e_i beside a pivot: cos^2 = p / (p + e_i^2), where p is the square of the pivot. With
    g = cos pivot, the next p is that of t = p (d_i - shift) - e_i^2 g over p (p + e_i^2): nothing but this waits for a
    division, and roots are needed by rows alone.
    """
    size = item_size(z.dtype.type(0))
    g, sine, square = d[last] - shift, 0.0, 1.0
    p, side = g * g, math.copysign(1.0, g)
    for i in range(last - 1, first - 1, -1):
        beside = e[i] * e[i]
        total, before, here = p + beside, g, d[i]
        if p > SMALL:
            share, t = 1 / total, fma(p, here - shift, -beside * before)
            cosine, root = math.sqrt(p * share) * side, math.sqrt(total)
            e[i + 1] = sine * root
            sine, square, g = e[i] * root * share, p * share, t * share
            p, side = t * t / (p * total), math.copysign(side, side * g)
        else:
            cosine, e[i + 1] = 0.0, sine * math.sqrt(beside)
            p, side, g = square * beside, -side, 0.0
            sine, square = math.copysign(1.0, e[i]), 0.0
        d[i + 1] = before + (here - g)
        at = address(z) + i * row * size
        rotate_rows(z.dtype.type(0), at, at + row * size, row, z.dtype.type(cosine), z.dtype.type(sine))
    d[first] = shift + g
    e[first] = sine * math.sqrt(p) * side
    e[last] = 0.0


@jit
def rotate_to_diagonal(d: Array, e: Array, z: Array, row: int) -> int:
    """The eigenvalues of T in place of its diagonal, in any order, and the eigenvectors as padded rows of z, which are
    those of the identity at first; 1 where that takes too many steps, else 0.

    The QL algorithm: each step of `chase` is for a part of T that has no zeros beside the diagonal, and finds its first
    eigenvalue nearer. All but the vectors is in double precision.
    """
    n, like = d.size, z.dtype.type(0)
    min_size = choose(like, 2.0**-24, 2.0**-53)
    for first in range(n):
        for step in range(MAX_STEPS):
            last = first
            while last < n - 1 and abs(e[last]) > max(min_size * (abs(d[last]) + abs(d[last + 1])), too_short(like)):
                last += 1
            if last == first:
                break
            if step == MAX_STEPS - 1:
                return 1
            # The eigenvalue of the first two rows that is nearer to the first number is the shift.
            half = (d[first + 1] - d[first]) / (2 * e[first])
            shift = d[first] - e[first] / (half + math.copysign(math.sqrt(half * half + 1), half))
            chase(d, e, first, last, shift, z, row)
    return 0


@jit
def rotate(d: Array, e: Array, z: Array, row: int, space: Array, to: int) -> int:
    """As `conquer`, but the eigenvectors become the columns of a contiguous matrix at `to`; z is lost."""
    n, like, size = d.size, z.dtype.type(0), item_size(z.dtype.type(0))
    values, beside, order = part_of(space, 0, n), part_of(space, n, n), empty_row(0, n)
    for i in range(z.size):
        z[i] = 0
    for i in range(n):
        values[i], beside[i], z[i * row + i] = d[i], e[i], 1
    failed = rotate_to_diagonal(values, beside, z, row)
    for i in range(n):
        position = i
        while position > 0 and values[order[position - 1]] > values[i]:
            order[position] = order[position - 1]
            position -= 1
        order[position] = i
    for i in range(n):
        d[i] = values[order[i]]
        value, line = part_of(z, order[i] * row, n), row_at(like, to + i * n * size, n)
        for j in range(n):
            line[j] = value[j]
    transpose_at(like, to, n * size, n, n, address(z), n * size)
    for i in range(n):
        value, line = part_of(z, i * n, n), row_at(like, to + i * n * size, n)
        for j in range(n):
            line[j] = value[j]
    return failed


@jit
def eigen_each(
    a: Array, values: Array, vectors: Array, info: Array, n: int, solver: int, first: int, last: int
) -> None:
    """Eigenvalues, in order, and eigenvectors; `solver` is LAPACK's stedc, for more than ROTATED rows."""
    like, size, row = a.dtype.type(0), item_size(a.dtype.type(0)), (n + WIDTH - 1) // WIDTH * WIDTH
    blocks = (n + BLOCK - 1) // BLOCK
    full, saved_value = empty_row(like, row * row), empty_row(like, blocks * BLOCK * n)
    triangles, factors, e = empty_row(like, blocks * BLOCK * BLOCK), empty_row(like, n), empty_row(like, n)
    space, double = empty_row(like, 2 * BLOCK * n + 4 * row), empty_row(1.0, 2 * n)
    for i in range(first, last):
        load_symmetric(address(a) + i * n * n * size, n, row, full)
        norm = length_of(full)
        factor = scale_to_unit(norm, like)
        scale_all(full, factor)
        d, to = part_of(values, i * n, n), address(vectors) + i * n * n * size
        tridiagonalize(full, n, row, d, e, saved_value, factors, space)
        if norm - norm != 0:
            info[i] = 1
        elif n <= ROTATED:
            info[i] = rotate(d, e, full, row, double, to)
        else:
            info[i] = conquer(solver, d, e, part_of(full, 0, n * n))
            transpose_at(like, address(full), n * size, n, n, to, n * size)
        scale_all(d, 1 / factor)
        all_triangles(saved_value, n - 1, n - 1, factors, triangles)
        reflect_back(to + n * size, n * size, n - 1, n, n - 1, saved_value, triangles, False, space)


@jit
def eigenvalues_each(a: Array, values: Array, info: Array, n: int, first: int, last: int) -> None:
    """The eigenvalues of some contiguous matrices, in order; `info` is not 0 where they are not found."""
    like, size, row = a.dtype.type(0), item_size(a.dtype.type(0)), (n + WIDTH - 1) // WIDTH * WIDTH
    blocks = (n + BLOCK - 1) // BLOCK
    full, saved_value = empty_row(like, row * row), empty_row(like, blocks * BLOCK * n)
    factors, e, space, double = empty_row(like, n), empty_row(like, n), empty_row(like, 4 * row), empty_row(1.0, 2 * n)
    result, beside = part_of(double, 0, n), part_of(double, n, n)
    for i in range(first, last):
        load_symmetric(address(a) + i * n * n * size, n, row, full)
        norm = length_of(full)
        factor = scale_to_unit(norm, like)
        scale_all(full, factor)
        d = part_of(values, i * n, n)
        tridiagonalize(full, n, row, d, e, saved_value, factors, space)
        for j in range(n):
            result[j], beside[j] = d[j], e[j]
        info[i] = 1 if norm - norm != 0 else rotate_to_diagonal(result, beside, full, 0)
        for j in range(n):
            position = j
            while position > 0 and d[position - 1] > result[j]:
                d[position] = d[position - 1]
                position -= 1
            d[position] = result[j]
        scale_all(d, 1 / factor)


def symmetric_eigen(a: Array, solver: int) -> tuple[Array, Array]:
    n = a.shape[-1]
    values, vectors, info = np.empty(a.shape[:-1], a.dtype), np.empty(a.shape, a.dtype), empty_info(a)
    arrays = (np.ascontiguousarray(a).reshape(-1), values.reshape(-1), vectors.reshape(-1), info)
    shared(eigen_each, (*arrays, n, solver), len(info), 4 * a.size * n // PRODUCTS)
    require_converged(info)
    return values, vectors


def symmetric_eigenvalues(a: Array) -> Array:
    n = a.shape[-1]
    values, info = np.empty(a.shape[:-1], a.dtype), empty_info(a)
    arrays = (np.ascontiguousarray(a).reshape(-1), values.reshape(-1), info)
    shared(eigenvalues_each, (*arrays, n), len(info), 2 * a.size * n // PRODUCTS)
    require_converged(info)
    return values


def empty_info(a: Array) -> Array:
    return np.empty(math.prod(a.shape[:-2]), np.int32)


def require_converged(info: Array) -> None:
    if info.any():
        raise np.linalg.LinAlgError("eigenvalues did not converge")
