"""Helpers of the formulas of the LU decomposition, A = P L U; L and U share one matrix, without L's diagonal of 1."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op
from ..matmul.formulas import adjoint

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def lower_factor(packed: Tensor) -> Tensor:
    """L: the columns below the diagonal, with 1 on it."""
    size = min(packed._shape[-2:])
    return packed.narrow(-1, 0, size).tril(-1) + op.eye(packed._shape[-2], size, dtype=packed.dtype)


def upper_factor(packed: Tensor) -> Tensor:
    """U: the rows from the diagonal on."""
    return packed.narrow(-2, 0, min(packed._shape[-2:])).triu()


def rows_in_order(x: Tensor, order: Tensor) -> Tensor:
    """The rows of matrices in another order."""
    return x.gather(-2, order.unsqueeze(-1).expand(x._shape))


def lu_backward(grad: Tensor, packed: Tensor, pivots: Tensor) -> Tensor:
    """P L^-H (tril(L^H grad_L, -1) + triu(grad_U U^H)) U^-H, for square matrices A = P L U.

    Of a tall A the rows below have L_2 = A_2 U^-1: their gradient G = grad_L2 U^-H adds -L_2^H G to grad_U. Of a wide A
    the columns beside have U_2 = L^-1 A_2: their gradient G = L^-H grad_U2 adds -G U_2^H to grad_L.
    """
    rows, columns = packed._shape[-2:]
    size = min(rows, columns)
    lower, upper = lower_factor(packed), upper_factor(packed)
    square_l, square_u = lower.narrow(-2, 0, size), upper.narrow(-1, 0, size)
    grad_l, grad_u = grad.narrow(-1, 0, size).tril(-1), grad.narrow(-2, 0, size).triu()
    more = max(rows, columns) - size
    if rows > columns:
        rest = adjoint(op.solve_triangular_matrices(square_u, adjoint(grad_l.narrow(-2, size, more)), True, False))
        grad_u = grad_u - adjoint(lower.narrow(-2, size, more)).matmul(rest)
    elif more:
        rest = op.solve_triangular_matrices(adjoint(square_l), grad_u.narrow(-1, size, more), True, True)
        grad_l = grad_l - rest.matmul(adjoint(upper.narrow(-1, size, more)))
    square = square_lu_backward(grad_l.narrow(-2, 0, size), grad_u.narrow(-1, 0, size), square_l, square_u)
    found = op.cat([square, rest], -2 if rows > columns else -1) if more else square
    return rows_in_order(found, op.row_order(pivots, rows).argsort(-1))


def square_lu_backward(grad_l: Tensor, grad_u: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """The gradient of the product of a square L and U."""
    inner = adjoint(lower).matmul(grad_l).tril(-1) + grad_u.matmul(adjoint(upper)).triu()
    left = op.solve_triangular_matrices(adjoint(lower), inner, True, True)
    return adjoint(op.solve_triangular_matrices(upper, adjoint(left), True, False))


def lu_tangent(a_t: Tensor, packed: Tensor, pivots: Tensor) -> Tensor:
    """L tril(M, -1) + triu(M) U, with M = L^-1 P^H A' U^-1; the rows or columns beyond the square follow from it."""
    rows, columns = packed._shape[-2:]
    size, more = min(rows, columns), abs(rows - columns)
    moved = rows_in_order(a_t, op.row_order(pivots, rows))
    lower, upper = lower_factor(packed), upper_factor(packed)
    square_l, square_u = lower.narrow(-2, 0, size), upper.narrow(-1, 0, size)
    square = moved.narrow(-2, 0, size).narrow(-1, 0, size)
    left = op.solve_triangular_matrices(square_l, square, False, True)
    m = adjoint(op.solve_triangular_matrices(adjoint(square_u), adjoint(left), False, False))
    l_t, u_t = square_l.matmul(m.tril(-1)), m.triu().matmul(square_u)
    if rows > columns:
        rest = moved.narrow(-2, size, more) - lower.narrow(-2, size, more).matmul(u_t)
        return op.cat(
            [l_t + u_t, adjoint(op.solve_triangular_matrices(adjoint(square_u), adjoint(rest), False, False))], -2
        )
    if not more:
        return l_t + u_t
    rest = moved.narrow(-1, size, more) - l_t.matmul(upper.narrow(-1, size, more))
    return op.cat([l_t + u_t, op.solve_triangular_matrices(square_l, rest, False, True)], -1)


def permutation_matrix(pivots: Tensor, like: Tensor) -> Tensor:
    """P as a matrix."""
    rows = like._shape[-2]
    identity = op.eye(rows, dtype=like.dtype).expand((*pivots._shape[:-1], rows, rows))
    return rows_in_order(identity, op.row_order(pivots, rows).argsort(-1))
