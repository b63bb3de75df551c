"""Inverses, linear systems, determinants and decompositions on a device, by the library's solvers.

Matrices of a batch are given to it one after the other. Failures are numbers on the device: the program waits for them
where they are to be errors.
"""

from math import ceil, log2, prod
from typing import Literal

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import broadcast, narrowed, swapped
from ...kernels.cuda_launch.cpu_fallback import Fallback
from ...kernels.cuda_libraries.matmul import multiply
from . import cpu, cpu_lapack
from . import cuda_kernels as kernels
from .cuda_batches import (
    INT32,
    all_of,
    blank_failures,
    by_columns,
    checked,
    each,
    factored,
    identities,
    library,
    like,
    on_host,
    real_of,
    solved,
    stream_of,
    triangle_of,
    with_library,
    zeros,
)


@with_library(cpu.inverse_info)
def inverse_info(a: Array, check_errors: bool) -> tuple[Array, Array]:
    packed, pivots, info = factored(a)
    checked("linalg_inv", cpu._INVERSE, info, check_errors)
    result = solved(packed, pivots, identities(a))
    blank_failures(result, info)
    return swapped(result), info


def inverse(a: Array) -> Array:
    return inverse_info(a, True)[0]


@with_library(cpu.solve_matrices)
def solve_matrices(a: Array, b: Array, check_errors: bool) -> tuple[Array, Array]:
    packed, pivots, info = factored(a)
    checked("linalg_solve", cpu._SOLVE, info, check_errors)
    result = solved(packed, pivots, by_columns(b))
    blank_failures(result, info)
    return swapped(result), info


@with_library(cpu.determinant)
def determinant(a: Array) -> Array:
    packed, pivots, _ = factored(a)
    result = like(a, *a.shape[:-2])
    per_element.run(kernels.determinants, result.size, a.dtype, packed, pivots, result, a.shape[-1])
    return result


@with_library(cpu.log_determinant)
def log_determinant(a: Array) -> tuple[Array, Array]:
    packed, pivots, _ = factored(a)
    sign, logarithm = like(a, *a.shape[:-2]), like(a, *a.shape[:-2], dtype=real_of(a.dtype))
    text = kernels.complex_log_determinants if a.dtype.kind == "c" else kernels.log_determinants
    per_element.run(text, sign.size, a.dtype, packed, pivots, sign, logarithm, a.shape[-1])
    return sign, logarithm


@with_library(cpu.cofactors)
def cofactors(a: Array) -> Array:
    packed, pivots, info = factored(a)
    if not on_host(info).any():
        inverted = solved(packed, pivots, identities(a))  # by columns: the transposes
        return scaled_matrices(inverted, determinant(a))
    u, s, vh = svd_factors(a, False, None)
    others = like(s, *s.shape)
    per_element.run(kernels.products_of_others, s.size, s.dtype, s, others, s.shape[-1])
    result = multiply_any(scaled_columns(arrays.contiguous(u), others), arrays.contiguous(vh))
    signs = multiply_any(column_of(determinant(u)), column_of(determinant(vh))).reshape(a.shape[:-2])
    return conjugated(scaled_matrices(result, signs))


cofactors_along = Fallback(cpu.cofactors_along)


def column_of(a: Array) -> Array:
    return a.reshape((*a.shape, 1, 1))


def scaled_matrices(a: Array, s: Array) -> Array:
    result = like(a, *a.shape)
    per_element.run(kernels.scaled_matrices, a.size, a.dtype, a, s, result, a.shape[-1] * a.shape[-2])
    return result


def scaled_columns(a: Array, s: Array) -> Array:
    result = like(a, *a.shape)
    per_element.run(kernels.scaled_columns, a.size, a.dtype, a, s.as_read(real_of(a.dtype)), result, *a.shape[-2:])
    return result


def multiply_any(a: Array, b: Array) -> Array:
    batch = a.shape[:-2]
    one, other = (arrays.contiguous(x).reshape((prod(batch), *x.shape[-2:])) for x in (a, b))
    return multiply(one, other).reshape((*batch, a.shape[-2], b.shape[-1]))


def conjugated(a: Array) -> Array:
    if a.dtype.kind == "c" and a.size:
        per_element.run(kernels.conjugated, a.size, a.dtype, a)
    return a


@with_library(cpu.cholesky_factor)
def cholesky_factor(a: Array, check_errors: bool) -> tuple[Array, Array]:
    n, batch = a.shape[-1], a.shape[:-2]
    packed, info = by_columns(a), zeros(a, *batch, dtype=INT32)
    if a.size:
        library().potrf_all(a.dtype, n, all_of(packed), info.address, info.size, stream_of(a))
    checked("linalg_cholesky", cpu._CHOLESKY, info, check_errors)
    result = triangle_of(packed, n, False)
    blank_failures(result, info)
    return result, info


@with_library(cpu.geqrf)
def geqrf(self: Array) -> tuple[Array, Array]:
    packed, tau = reflections(self)
    return swapped(packed), tau


def reflections(a: Array) -> tuple[Array, Array]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    packed, tau, info = by_columns(a), like(a, *batch, min(m, n)), zeros(a, *batch, dtype=INT32)
    if a.size:
        for matrix, factors, failed in each(batch, packed, tau, info):
            library().geqrf(a.dtype, m, n, matrix, m, factors, failed, stream_of(a))
    return packed, tau


@with_library(cpu.qr_factors)
def qr_factors(a: Array, mode: Literal["reduced", "complete", "r"]) -> tuple[Array, Array]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    packed, tau = reflections(a)
    k = min(m, n)
    wide = m if mode == "complete" else k
    r = triangle_of(packed, wide if mode == "complete" else k, True)
    if mode == "r":
        return like(a, 0), r
    q = zeros(a, *batch, wide, m)
    if not a.size:
        return (identities(swapped(q)) if wide == m else swapped(q)), r
    first = narrowed(packed, packed.ndim - 2, 0, k)
    arrays.copy(narrowed(q, q.ndim - 2, 0, k), first)
    info = zeros(a, *batch, dtype=INT32)
    for matrix, factors, failed in each(batch, q, tau, info):
        library().orgqr(a.dtype, m, wide, k, matrix, m, factors, failed, stream_of(a))
    return swapped(q), r


@with_library(cpu.reflected_columns)
def reflected_columns(a: Array, factors: Array) -> Array:
    batch, (m, n), k = a.shape[:-2], a.shape[-2:], factors.shape[-1]
    q, tau, info = by_columns(a), arrays.copied(factors), zeros(a, *batch, dtype=INT32)
    for matrix, value, failed in each(batch, q, tau, info) if a.size else ():
        library().orgqr(a.dtype, m, n, k, matrix, m, value, failed, stream_of(a))
    return swapped(q)


@with_library(cpu.svd_factors)
def svd_factors(a: Array, full_matrices: bool, driver: None) -> tuple[Array, Array, Array]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    wide = m <= n  # rows are the columns of the transpose: then A^T = V^* S U^T is decomposed
    long, short = (n, m) if wide else (m, n)
    k = long if full_matrices else short
    if not short:
        u, vh = like(a, *batch, m, m if full_matrices else 0), like(a, *batch, n if full_matrices else 0, n)
        u, vh = (identities(x) if x.size else x for x in (u, vh))
        return u, like(a, *batch, 0, dtype=real_of(a.dtype)), vh
    left, right = like(a, *batch, k, long), like(a, *batch, short, short)  # by columns
    s = decomposed("linalg_svd", "A" if full_matrices else "S", a, wide, left, right)
    return (right, s, left) if wide else (swapped(left), s, swapped(right))


@with_library(cpu.singular_values)
def singular_values(a: Array, driver: None) -> Array:
    none = like(a, 0)
    return decomposed("linalg_svdvals", "N", a, a.shape[-2] <= a.shape[-1], none, none)


def decomposed(op: str, vectors: str, a: Array, wide: bool, left: Array, right: Array) -> Array:
    batch, (short, long) = a.shape[:-2], sorted(a.shape[-2:])
    value = arrays.copied(a) if wide else by_columns(a)
    s, info = like(a, *batch, short, dtype=real_of(a.dtype)), zeros(a, *batch, dtype=INT32)
    if not a.size:
        return s
    ld = left.shape[-1] if left.size else long
    for matrix, values, failed, u, vh in each(batch, value, s, info, left, right):
        library().gesvd(a.dtype, vectors, long, short, matrix, long, values, u, ld, vh, short, failed, stream_of(a))
    require_convergence(op, a, info)
    return s


def require_convergence(op: str, a: Array, info: Array) -> None:
    if on_host(info).any():
        raise cpu.not_converged(op, on_host(a))


@with_library(cpu.hermitian_eigen)
def hermitian_eigen(a: Array) -> tuple[Array, Array]:
    return eigen_of_hermitian("linalg_eigh", a, True)


@with_library(cpu.hermitian_eigenvalues)
def hermitian_eigenvalues(a: Array) -> Array:
    return eigen_of_hermitian("linalg_eigvalsh", a, False)[0]


def eigen_of_hermitian(op: str, a: Array, vectors: bool) -> tuple[Array, Array]:
    batch, n = a.shape[:-2], a.shape[-1]
    result, values = by_columns(a), like(a, *batch, n, dtype=real_of(a.dtype))
    info = zeros(a, *batch, dtype=INT32)
    if a.size:
        for matrix, numbers, failed in each(batch, result, values, info):
            library().syevd(a.dtype, vectors, n, matrix, n, numbers, failed, stream_of(a))
        require_convergence(op, a, info)
    return values, swapped(result)


@with_library(cpu.general_eigen)
def general_eigen(a: Array) -> tuple[Array, Array]:
    return eigen_of("linalg_eig", a, True)


@with_library(cpu.general_eigenvalues)
def general_eigenvalues(a: Array) -> Array:
    return eigen_of("linalg_eigvals", a, False)[0]


def eigen_of(op: str, a: Array, vectors: bool) -> tuple[Array, Array]:
    cpu._require_finite(op, on_host(a))
    batch, n = a.shape[:-2], a.shape[-1]
    value = by_columns(a.as_read(np.result_type(a.dtype, np.complex64)))
    values, result = like(value, *batch, n), like(value, *(value.shape if vectors else (0,)))
    info = zeros(a, *batch, dtype=INT32)
    if a.size:
        for matrix, numbers, column, failed in each(batch, value, values, result, info):
            library().geev(value.dtype, vectors, n, matrix, n, numbers, column, n, failed, stream_of(a))
        require_convergence(op, a, info)
    return values, swapped(result) if vectors else result


@with_library(cpu.pseudo_inverse)
def pseudo_inverse(a: Array, atol: Array, rtol: Array) -> Array:
    u, s, vh = svd_factors(a, False, None)
    limits = [arrays.copied(broadcast(limit.as_read(s.dtype), a.shape[:-2])) for limit in (atol, rtol)]
    factors = like(s, *s.shape)
    per_element.run(kernels.inverted, s.size, s.dtype, s, *limits, factors, s.shape[-1])
    result = multiply_any(scaled_columns(arrays.contiguous(u), factors), arrays.contiguous(vh))
    return swapped(conjugated(result))


@with_library(cpu.lstsq_solve)
def lstsq_solve(a: Array, b: Array, rcond: float) -> tuple[Array, Array]:
    absolute, relative = zeros(a, *a.shape[:-2]), zeros(a, *a.shape[:-2])
    arrays.fill(relative, rcond)
    s = on_host(singular_values(a, None))
    ranks = (s > rcond * s.max(-1, initial=0, keepdims=True)).sum(-1, dtype=np.int64)
    return multiply_any(pseudo_inverse(a, absolute, relative), b), arrays.from_host(ranks, a.device)


# Of the numerator of the approximant of exp of degree 13, N. Higham, "The scaling and squaring method" (2005).
PADE = [
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
]  # fmt: skip
MAX_EXACT_NORM = 5.371920351148152  # up to this norm it is exact to the last bits of a float64


@with_library(cpu.matrix_exponential)
def matrix_exponential(a: Array) -> Array:
    if not a.size:
        return arrays.copied(a)
    norm = float(np.abs(on_host(a)).sum(-2).max())
    squarings = max(ceil(log2(norm / MAX_EXACT_NORM)), 0) if norm > 0 and np.isfinite(norm) else 0
    x = weighted(a, [(0.5**squarings, arrays.contiguous(a))])
    one, two = identities(x), multiply_any(x, x)
    four = multiply_any(two, two)
    six = multiply_any(two, four)
    powers = ((0, one), (2, two), (4, four), (6, six))
    parts = []
    for first, upper in ((1, (9, 11, 13)), (0, (8, 10, 12))):
        top = weighted(x, [(PADE[k], p) for k, p in zip(upper, (two, four, six), strict=True)])
        low = weighted(x, [(PADE[first + k], p) for k, p in powers])
        parts.append(weighted(x, [(1.0, multiply_any(six, top)), (1.0, low)]))
    u, v = multiply_any(x, parts[0]), parts[1]
    over, under = weighted(x, [(1.0, v), (1.0, u)]), weighted(x, [(1.0, v), (-1.0, u)])
    packed, pivots, _ = factored(under)
    result = arrays.copied(swapped(solved(packed, pivots, by_columns(over))))
    for _ in range(squarings):
        result = multiply_any(result, result)
    return result


def weighted(like_: Array, terms: list[tuple[float, Array]]) -> Array:
    result = zeros(like_, *like_.shape)
    for factor, array in terms:
        per_element.run(kernels.added, result.size, result.dtype, array, result, result.dtype.type(factor))
    return result


@with_library(cpu_lapack.solve_triangular_matrices)
def solve_triangular_matrices(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    value, result = arrays.contiguous(a), arrays.copied(b)
    n, k = result.shape[-2:]
    if result.size:  # X^T A^T = B^T: rows are the columns of the transpose
        left, right = all_of(value), all_of(result)
        library().trsm_all(b.dtype, upper, unitriangular, k, n, left, right, prod(b.shape[:-2]), stream_of(b))
    return result


@with_library(cpu_lapack.lu_packed)
def lu_packed(a: Array, check_errors: bool) -> tuple[Array, Array, Array]:
    packed, pivots, info = factored(a)
    checked("linalg_lu_factor", cpu_lapack._ZERO_U, info, check_errors)
    return swapped(packed), pivots, info


def row_order(pivots: Array, rows: int) -> Array:
    value, batch = arrays.contiguous(pivots), pivots.shape[:-1]
    order = arrays.empty((*batch, rows), np.dtype(np.int64), pivots.device)
    per_element.run(kernels.rows_in_order, prod(batch), order.dtype, value, order, rows, pivots.shape[-1])
    return order
