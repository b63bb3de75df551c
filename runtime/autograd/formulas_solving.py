"""Helpers of the formulas of inverses, linear systems, determinants and Cholesky's decomposition."""

from __future__ import annotations

from math import nan
from typing import Any, TypeAlias

from ..namespace import op
from ..shapes import broadcast_shapes
from ..structured import ReturnType
from .formulas_linalg import adjoint
from .formulas_reductions import conjugate
from .grad_mode import watch

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Pair: TypeAlias = tuple[Tensor, Tensor]


def hermitian_input(x: Tensor) -> Tensor:
    """x itself, of which one triangle will be read, with the gradient of a function of (x + x^H) / 2.

    So the gradient of a Hermitian matrix is one, as though both triangles had been read.
    """
    if not (x._rg or watch.active):
        return x
    middle = (x + adjoint(x)) / 2
    return middle + (x - middle).detach()


def of_lower(x: Tensor) -> Tensor:
    """The Hermitian matrix with the lower triangle of x, and the real part of its diagonal."""
    half = (x.tril() + x.tril(-1)) / 2
    return half + adjoint(half)


def lower_slope(grad: Tensor) -> Tensor:
    """The gradient of x from that of `of_lower(x)`."""
    both = grad + adjoint(grad)
    return (both.tril() + both.tril(-1)) / 2


def solved(a: Tensor, b: Tensor, left: bool, check_errors: bool) -> Pair:
    """X with A X = B, or with X A = B: A and B as the kernel takes them, the result back in B's form."""
    vector = is_vector(a, b)
    right = b.unsqueeze(-1) if vector else b
    if not left:
        a, right = a.mT, right.mT
    x, info = op.solve_matrices(*with_one_batch("linalg_solve", a, right), check_errors)
    x = x if left else x.mT
    return (x.squeeze(-1) if vector else x), info


def solved_with_info(a: Tensor, b: Tensor, left: bool, check_errors: bool) -> Pair:
    """The same as the named tuple of linalg.solve_ex."""
    return ReturnType("linalg_solve_ex", ("result", "info"))(*solved(a, b, left, check_errors))


def is_vector(a: Tensor, b: Tensor) -> bool:
    """Whether `b` is a vector for each matrix of `a`, not a matrix."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and tuple(b._shape) == tuple(a._shape[:-1]))


def with_one_batch(name: str, a: Tensor, b: Tensor) -> Pair:
    """Both expanded to a common batch."""
    if a._shape[:-2] == b._shape[:-2]:
        return a, b
    batch = broadcast_shapes(name, a._shape[:-2], b._shape[:-2])
    return a.expand((*batch, *a._shape[-2:])), b.expand((*batch, *b._shape[-2:]))


def solve_slopes(grad: Tensor, a: Tensor, x: Tensor) -> Pair:
    """The gradients of A and B of A X = B: -G X^H and G, with A^H G = grad."""
    g = op.solve_matrices(adjoint(a), grad, False)[0]
    return -g.matmul(adjoint(x)), g


def solve_tangent(a: Tensor, x: Tensor, a_t: Tensor | None, b_t: Tensor | None) -> Tensor:
    """A^-1 (B' - A' X)."""
    return op.solve_matrices(a, moved(x, a_t, b_t), False)[0]


def moved(x: Tensor, a_t: Tensor | None, b_t: Tensor | None) -> Tensor:
    """B' - A' X."""
    if a_t is None:
        return b_t
    return -a_t.matmul(x) if b_t is None else b_t - a_t.matmul(x)


def triangular_solved(a: Tensor, b: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    """X with A X = B or X A = B for triangular A."""
    if not left:
        return triangular_solved(a.mT, b.mT, not upper, True, unitriangular).mT
    return op.solve_triangular_matrices(*with_one_batch("linalg_solve_triangular", a, b), upper, unitriangular)


def with_copy_of_factor(b: Tensor, a: Tensor, upper: bool, transpose: bool, unitriangular: bool) -> Pair:
    """X with A X = B, or A^T X = B, and a copy of A for each matrix of the common batch."""
    a, b = with_one_batch("triangular_solve", a, b)
    turned = a.mT if transpose else a
    x = op.solve_triangular_matrices(turned, b, upper != transpose, unitriangular)
    return ReturnType("triangular_solve", ("solution", "cloned_coefficient"))(x, a.clone())


def triangle(x: Tensor, upper: bool, unitriangular: bool) -> Tensor:
    """The triangle of a matrix that is read."""
    return x.triu(int(unitriangular)) if upper else x.tril(-int(unitriangular))


def triangular_slopes(grad: Tensor, a: Tensor, x: Tensor, upper: bool, unitriangular: bool) -> Pair:
    """The gradients of A and B: those of solve, in the triangle that is read."""
    g = op.solve_triangular_matrices(adjoint(a), grad, not upper, unitriangular)
    return triangle(-g.matmul(adjoint(x)), upper, unitriangular), g


def triangular_tangent(
    a: Tensor, x: Tensor, a_t: Tensor | None, b_t: Tensor | None, upper: bool, unitriangular: bool
) -> Tensor:
    """A^-1 (B' - A' X), of A' the triangle that is read."""
    read = None if a_t is None else triangle(a_t, upper, unitriangular)
    return op.solve_triangular_matrices(a, moved(x, read, b_t), upper, unitriangular)


def total(x: Tensor) -> Tensor:
    """The sum of a matrix, as a matrix of one element."""
    return x.sum((-2, -1), True)


def cofactors_slope(grad: Tensor, a: Tensor, c: Tensor) -> Tensor:
    """The gradient of C = det(A) A^-T: (sum(grad conj(C)) - conj(C) grad^T) A^-H."""
    back = adjoint(op.linalg_inv_ex(a)[0])
    return total(grad * conjugate(c)) * back - conjugate(c).matmul(grad.mT).matmul(back)


def cofactors_tangent(a: Tensor, c: Tensor, a_t: Tensor) -> Tensor:
    """tr(A^-1 A') C - A^-T A'^T C."""
    back = op.linalg_inv_ex(a)[0].mT
    return total(back * a_t) * c - back.matmul(a_t.mT).matmul(c)


def log_determinant_slope(grads: list[Tensor], a: Tensor, sign: Tensor) -> Tensor:
    """(grad of log|det| - i Im(conj(grad of sign) sign)) A^-H."""
    weight = grads[1]
    if sign.is_complex():
        weight = weight - 1j * (grads[0].conj() * sign).imag
    return weight.unsqueeze(-1).unsqueeze(-1) * adjoint(op.linalg_inv_ex(a)[0])


def log_determinant_tangents(a: Tensor, sign: Tensor, a_t: Tensor) -> Pair:
    """The tangents i Im(t) sign and Re(t), with t = tr(A^-1 A')."""
    trace = (op.linalg_inv_ex(a)[0].mT * a_t).sum((-2, -1))
    return (1j * trace.imag * sign, trace.real) if sign.is_complex() else (sign * 0 * trace, trace)


def cholesky_slope(grad: Tensor, lower: Tensor) -> Tensor:
    """The gradient of the lower triangle of A = L L^H: from L^-H P L^-1, P the lower half of L^H grad."""
    product = adjoint(lower).matmul(grad)
    half = (product.tril() + product.tril(-1)) / 2
    left = op.solve_triangular_matrices(adjoint(lower), half, True, False)
    return lower_slope(triangular_solved(lower, left, False, False, False))


def cholesky_tangent(lower: Tensor, a_t: Tensor) -> Tensor:
    """L times the lower half of L^-1 A' L^-H."""
    left = op.solve_triangular_matrices(lower, of_lower(a_t), False, False)
    middle = triangular_solved(adjoint(lower), left, True, False, False)
    return lower.matmul((middle.tril() + middle.tril(-1)) / 2)


def cholesky_decomposed(a: Tensor, upper: bool, check_errors: bool) -> Pair:
    """The factor L, or L^H from the upper triangle; and what failed."""
    lower, info = op.cholesky_factor(hermitian_input(adjoint(a) if upper else a), check_errors)
    return (adjoint(lower) if upper else lower), info


def cholesky_with_info(a: Tensor, upper: bool, check_errors: bool) -> Pair:
    """The same as the named tuple of linalg.cholesky_ex."""
    return ReturnType("linalg_cholesky_ex", ("L", "info"))(*cholesky_decomposed(a, upper, check_errors))


def cholesky_solved(b: Tensor, factor: Tensor, upper: bool) -> Tensor:
    """X with L L^H X = B."""
    lower = adjoint(factor) if upper else factor
    middle = triangular_solved(lower, b, False, True, False)
    return triangular_solved(adjoint(lower), middle, True, True, False)


def logarithm_of_determinant(a: Tensor) -> Tensor:
    """log|det| + log(det / |det|); nan for a negative real determinant, which is then no function of A."""
    sign, logarithm = op.linalg_slogdet(a)
    return logarithm + sign.log() if sign.is_complex() else logarithm.masked_fill(sign < 0, nan)


def identity_of(x: Tensor) -> Tensor:
    """The identity matrix for each matrix of a batch."""
    return op.eye(x._shape[-1], dtype=x.dtype).expand(x._shape)
