"""Helpers of the formulas of the LU decomposition, A = P L U; L and U share one matrix, without L's diagonal of 1."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op
from ..structured import ReturnType
from .formulas_linalg import adjoint
from .formulas_solving import triangular_solved

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Pair: TypeAlias = tuple[Tensor, Tensor]


def lower_of(packed: Tensor) -> Tensor:
    """L: the columns below the diagonal, with 1 on it."""
    size = min(packed._shape[-2:])
    return packed.narrow(-1, 0, size).tril(-1) + op.eye(packed._shape[-2], size, dtype=packed.dtype)


def upper_of(packed: Tensor) -> Tensor:
    """U: the rows from the diagonal on."""
    return packed.narrow(-2, 0, min(packed._shape[-2:])).triu()


def rows_in(x: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    return x.gather(-2, order.unsqueeze(-1).expand(x._shape))


def lu_slope(grad: Tensor, packed: Tensor, pivots: Tensor) -> Tensor:
    """P L^-H (tril(L^H grad_L, -1) + triu(grad_U U^H)) U^-H; rows or columns beyond the square go first."""
    rows, columns = packed._shape[-2:]
    size = min(rows, columns)
    lower, upper = lower_of(packed), upper_of(packed)
    square_l, square_u = lower.narrow(-2, 0, size), upper.narrow(-1, 0, size)
    grad_l, grad_u = grad.narrow(-1, 0, size).tril(-1), grad.narrow(-2, 0, size).triu()
    more = max(rows, columns) - size
    if rows > columns:
        rest = triangular_solved(adjoint(square_u), grad_l.narrow(-2, size, more), False, False, False)
        grad_u = grad_u - adjoint(lower.narrow(-2, size, more)).matmul(rest)
    elif more:
        rest = triangular_solved(adjoint(square_l), grad_u.narrow(-1, size, more), True, True, True)
        grad_l = grad_l - rest.matmul(adjoint(upper.narrow(-1, size, more)))
    square = square_lu_slope(grad_l.narrow(-2, 0, size), grad_u.narrow(-1, 0, size), square_l, square_u)
    found = op.cat([square, rest], -2 if rows > columns else -1) if more else square
    return rows_in(found, op.row_order(pivots, rows).argsort(-1))


def square_lu_slope(grad_l: Tensor, grad_u: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """The gradient of the product of a square L and U."""
    inner = adjoint(lower).matmul(grad_l).tril(-1) + grad_u.matmul(adjoint(upper)).triu()
    left = triangular_solved(adjoint(lower), inner, True, True, True)
    return triangular_solved(adjoint(upper), left, False, False, False)


def lu_tangent(a_t: Tensor, packed: Tensor, pivots: Tensor) -> Tensor:
    """L tril(M, -1) + triu(M) U, with M = L^-1 P^H A' U^-1; the rows or columns beyond the square follow from it."""
    rows, columns = packed._shape[-2:]
    size, more = min(rows, columns), abs(rows - columns)
    moved = rows_in(a_t, op.row_order(pivots, rows))
    lower, upper = lower_of(packed), upper_of(packed)
    square_l, square_u = lower.narrow(-2, 0, size), upper.narrow(-1, 0, size)
    square = moved.narrow(-2, 0, size).narrow(-1, 0, size)
    left = triangular_solved(square_l, square, False, True, True)
    m = triangular_solved(square_u, left, True, False, False)
    l_t, u_t = square_l.matmul(m.tril(-1)), m.triu().matmul(square_u)
    if rows > columns:
        rest = moved.narrow(-2, size, more) - lower.narrow(-2, size, more).matmul(u_t)
        return op.cat([l_t + u_t, triangular_solved(square_u, rest, True, False, False)], -2)
    if not more:
        return l_t + u_t
    rest = moved.narrow(-1, size, more) - l_t.matmul(upper.narrow(-1, size, more))
    return op.cat([l_t + u_t, triangular_solved(square_l, rest, False, True, True)], -1)


def permutation(pivots: Tensor, like: Tensor) -> Tensor:
    """P as a matrix."""
    rows = like._shape[-2]
    identity = op.eye(rows, dtype=like.dtype).expand((*pivots._shape[:-1], rows, rows))
    return rows_in(identity, op.row_order(pivots, rows).argsort(-1))


def unpacked(name: str, packed: Tensor, pivots: Tensor, data: bool, exchanges: bool) -> tuple[Tensor, Tensor, Tensor]:
    """P, L and U, empty where they are not wanted."""
    none = packed.new_zeros((0,))
    lower, upper = (lower_of(packed), upper_of(packed)) if data else (none, none)
    return ReturnType(name, ("P", "L", "U"))(permutation(pivots, packed) if exchanges else none, lower, upper)


def lu_factors(a: Tensor) -> Pair:
    """The packed L and U, and the exchanges; a singular matrix is an error."""
    return ReturnType("linalg_lu_factor", ("LU", "pivots"))(*op.lu_packed(a, True)[:2])


def lu_factors_with_info(a: Tensor, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The same with the first zero pivot."""
    return ReturnType("linalg_lu_factor_ex", ("LU", "pivots", "info"))(*op.lu_packed(a, check_errors))


def lu_three(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """P, L and U."""
    packed, pivots, _ = op.lu_packed(a, False)
    return unpacked("linalg_lu", packed, pivots, True, True)


def lu_solved(packed: Tensor, pivots: Tensor, b: Tensor, left: bool, adjoined: bool) -> Tensor:
    """X with A X = B or A^H X = B; with X on the left of A it is the adjoint of these."""
    if not left:
        return adjoint(lu_solved(packed, pivots, adjoint(b), True, not adjoined))
    order = op.row_order(pivots, packed._shape[-1])
    order = order.expand((*b._shape[:-2], order._shape[-1]))
    lower, upper = lower_of(packed), upper_of(packed)
    if adjoined:
        middle = triangular_solved(adjoint(upper), b, False, True, False)
        return rows_in(triangular_solved(adjoint(lower), middle, True, True, True), order.argsort(-1))
    middle = triangular_solved(lower, rows_in(b, order), False, True, True)
    return triangular_solved(upper, middle, True, True, False)
