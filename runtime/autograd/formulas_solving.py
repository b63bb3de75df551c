"""Helpers of the formulas of inverses, linear systems, determinants and Cholesky's decomposition."""

from __future__ import annotations

from math import nan
from typing import Any, TypeAlias

from ..namespace import op
from ..shapes import broadcast_shapes
from ..structured import ReturnType
from .formulas_linalg import adjoint
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


def half_lower(x: Tensor) -> Tensor:
    """The lower triangle of x with half its diagonal."""
    return (x.tril() + x.tril(-1)) / 2


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


def with_batch_of(x: Tensor, other: Tensor) -> Tensor:
    """Matrices expanded to the batch that they and others broadcast to."""
    batch, others = x._shape[:-2], other._shape[:-2]
    return x if batch == others else x.expand((*broadcast_shapes("expand", batch, others), *x._shape[-2:]))


def with_one_batch(name: str, a: Tensor, b: Tensor) -> Pair:
    """Both expanded to a common batch."""
    if a._shape[:-2] == b._shape[:-2]:
        return a, b
    batch = broadcast_shapes(name, a._shape[:-2], b._shape[:-2])
    return a.expand((*batch, *a._shape[-2:])), b.expand((*batch, *b._shape[-2:]))


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


def cholesky_decomposed(a: Tensor, upper: bool, check_errors: bool) -> Pair:
    """The factor L, or L^H from the upper triangle; and what failed."""
    lower, info = op.cholesky_factor(hermitian_input(adjoint(a) if upper else a), check_errors)
    return (adjoint(lower) if upper else lower), info


def cholesky_with_info(a: Tensor, upper: bool, check_errors: bool) -> Pair:
    """The same as the named tuple of linalg.cholesky_ex."""
    return ReturnType("linalg_cholesky_ex", ("L", "info"))(*cholesky_decomposed(a, upper, check_errors))


def logarithm_of_determinant(a: Tensor) -> Tensor:
    """log|det| + log(det / |det|); nan for a negative real determinant, which is then no function of A."""
    sign, logarithm = op.linalg_slogdet(a)
    return logarithm + sign.log() if sign.is_complex() else logarithm.masked_fill(sign < 0, nan)


def identity_of(x: Tensor) -> Tensor:
    """The identity matrix for each matrix of a batch."""
    return op.eye(x._shape[-1], dtype=x.dtype).expand(x._shape)
