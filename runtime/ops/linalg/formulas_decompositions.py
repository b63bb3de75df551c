"""Helpers of the formulas of decompositions: QR, singular values, eigenvalues, pseudo-inverses.

What a decomposition leaves open, such as the phase of an eigenvector, must not change the value of the function that is
differentiated; the gradient is then well defined. F_ij is 1 / (v_j - v_i) of the eigenvalues; P stands for the change
of A seen from both sides, as in U^H A' V.
"""

from math import inf, nan
from typing import TypeAlias

from ...namespace import Tensor, op
from ..matmul.formulas import adjoint
from .formulas import hermitian_input

Pair: TypeAlias = tuple[Tensor, Tensor]


def matrix_of_diagonal(x: Tensor) -> Tensor:
    return x.unsqueeze(-1) * op.eye(x._shape[-1], dtype=x.dtype, device=x.device)


def over_gaps(x: Tensor, values: Tensor, cause: Tensor) -> Tensor:
    """x_ij / (v_j - v_i), 0 on the diagonal; nan between equal values, but for a `cause` of zeros: nothing changes."""
    distance = values.unsqueeze(-2) - values.unsqueeze(-1)
    equal = distance == 0
    result = x * distance.masked_fill(equal, inf).reciprocal()
    return undefined_where(equal & (op.eye(values._shape[-1], device=values.device) == 0), result, cause)


def over_columns(x: Tensor, s: Tensor, cause: Tensor) -> Tensor:
    """x_ij / s_j; nan where s_j is 0, but for a `cause` of zeros."""
    row = s.unsqueeze(-2)
    return undefined_where(row == 0, x * row.masked_fill(row == 0, inf).reciprocal(), cause)


def undefined_where(mask: Tensor, x: Tensor, cause: Tensor) -> Tensor:
    """x with nan where the mask says that there is no derivative, in the matrices whose `cause` is not zero."""
    return x.masked_fill(mask & (cause != 0).any((-2, -1), True), nan)


def real_diagonal(x: Tensor) -> Tensor:
    result = x.diagonal(0, -2, -1)
    return result.real if result.is_complex() else result


def triangle_of(a: Tensor, uplo: str) -> Tensor:
    return hermitian_input(a if uplo == "L" else adjoint(a))


def outside(x: Tensor, u: Tensor, s: Tensor, cause: Tensor) -> Tensor:
    divided = over_columns(x, s, cause)
    return divided - u.matmul(adjoint(u).matmul(divided))


def phases(x: Tensor, s: Tensor, cause: Tensor) -> Tensor | float:
    """i Im(x) / 2s on the diagonal; nothing for real vectors."""
    if not x.is_complex():
        return 0.0
    return over_columns(matrix_of_diagonal(0.5j * x.diagonal(0, -2, -1).imag), s, cause)


def svd_tangents(a_t: Tensor, u: Tensor, s: Tensor, vh: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    v, row, column = adjoint(vh), s.unsqueeze(-2), s.unsqueeze(-1)
    p = adjoint(u).matmul(a_t).matmul(v)
    back = adjoint(p)
    turn = phases(p, s, a_t)
    u_t = u.matmul(over_gaps(p * row + column * back, s * s, a_t) + turn)
    v_t = v.matmul(over_gaps(column * p + back * row, s * s, a_t) - turn)
    if u._shape[-2] > s._shape[-1]:
        u_t = u_t + outside(a_t.matmul(v), u, s, a_t)
    if v._shape[-2] > s._shape[-1]:
        v_t = v_t + outside(adjoint(a_t).matmul(u), v, s, a_t)
    return u_t, real_diagonal(p), adjoint(v_t)


def svd_tangents_of(a_t: Tensor, u: Tensor, s: Tensor, vh: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The tangents of full or reduced U, S and V^H; nothing may depend on the further columns of U and rows of V^H."""
    count = s._shape[-1]
    if u._shape[-1] == count == vh._shape[-2]:
        return svd_tangents(a_t, u, s, vh)
    result = svd_tangents(a_t, u.narrow(-1, 0, count), s, vh.narrow(-2, 0, count))
    more_u, more_v = u.narrow(-1, count, u._shape[-1] - count), vh.narrow(-2, count, vh._shape[-2] - count)
    return op.cat([result[0], more_u * 0], -1), result[1], op.cat([result[2], more_v * 0], -2)


def determined(q: Tensor, r: Tensor, mode: str) -> Tensor:
    """Q, which is there and has no columns beyond those that A determines."""
    if mode == "r":
        raise RuntimeError("linalg_qr(): The derivative depends on Q, which is not computed when mode='r'.")
    if q._shape[-1] > r._shape[-1]:
        raise RuntimeError("linalg_qr(): There is no derivative when mode='complete' and A has more rows than columns.")
    return q


def over_adjoint(x: Tensor, triangular: Tensor, upper: bool) -> Tensor:
    return adjoint(op.solve_triangular_matrices(triangular, adjoint(x), upper, False))


def qr_tangents(a_t: Tensor, a: Tensor, q: Tensor, r: Tensor, mode: str) -> Pair:
    """Q' = A' R^-1 - Q (C - K) and R' = (C - K) R, with C = Q^H A' R^-1 and K its skew part below the diagonal."""
    q, size = determined(q, r, mode), r._shape[-2]
    x = over_adjoint(a_t.narrow(-1, 0, size), adjoint(r.narrow(-1, 0, size)), False)
    c = adjoint(q).matmul(x)
    below = c.tril(-1) + (c - adjoint(c)).tril().triu() / 2
    upper = c - below + adjoint(c.tril(-1))
    q_t, r_t = x - q.matmul(upper), upper.matmul(r.narrow(-1, 0, size))
    if r._shape[-1] == size:
        return q_t, r_t
    more = r._shape[-1] - size
    last = adjoint(q_t).matmul(a.narrow(-1, size, more)) + adjoint(q).matmul(a_t.narrow(-1, size, more))
    return q_t, op.cat([r_t, last], -1)


def exponential_along(a: Tensor, direction: Tensor) -> Tensor:
    """The derivative of exp at A: the corner of exp([[A, direction], [0, A]])."""
    size = a._shape[-1]
    above, below = op.cat([a, direction], -1), op.cat([a * 0, a], -1)
    full = op.linalg_matrix_exp(op.cat([above, below], -2))
    return full.narrow(-2, 0, size).narrow(-1, size, size)


def lower_factor(packed: Tensor) -> Tensor:
    size = min(packed._shape[-2:])
    return packed.narrow(-1, 0, size).tril(-1) + op.eye(
        packed._shape[-2], size, dtype=packed.dtype, device=packed.device
    )


def upper_factor(packed: Tensor) -> Tensor:
    return packed.narrow(-2, 0, min(packed._shape[-2:])).triu()


def rows_in_order(x: Tensor, order: Tensor) -> Tensor:
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
        rest = over_adjoint(grad_l.narrow(-2, size, more), square_u, True)
        grad_u = grad_u - adjoint(lower.narrow(-2, size, more)).matmul(rest)
    elif more:
        rest = op.solve_triangular_matrices(adjoint(square_l), grad_u.narrow(-1, size, more), True, True)
        grad_l = grad_l - rest.matmul(adjoint(upper.narrow(-1, size, more)))
    grad_l, grad_u = grad_l.narrow(-2, 0, size), grad_u.narrow(-1, 0, size)
    inner = adjoint(square_l).matmul(grad_l).tril(-1) + grad_u.matmul(adjoint(square_u)).triu()
    square = over_adjoint(op.solve_triangular_matrices(adjoint(square_l), inner, True, True), square_u, True)
    result = op.cat([square, rest], -2 if rows > columns else -1) if more else square
    return rows_in_order(result, op.row_order(pivots, rows).argsort(-1))


def lu_tangent(a_t: Tensor, packed: Tensor, pivots: Tensor) -> Tensor:
    """L tril(M, -1) + triu(M) U, with M = L^-1 P^H A' U^-1; the rows or columns beyond the square follow from it."""
    rows, columns = packed._shape[-2:]
    size, more = min(rows, columns), abs(rows - columns)
    moved = rows_in_order(a_t, op.row_order(pivots, rows))
    lower, upper = lower_factor(packed), upper_factor(packed)
    square_l, square_u = lower.narrow(-2, 0, size), upper.narrow(-1, 0, size)
    square = moved.narrow(-2, 0, size).narrow(-1, 0, size)
    left = op.solve_triangular_matrices(square_l, square, False, True)
    m = over_adjoint(left, adjoint(square_u), False)
    l_t, u_t = square_l.matmul(m.tril(-1)), m.triu().matmul(square_u)
    if rows > columns:
        rest = moved.narrow(-2, size, more) - lower.narrow(-2, size, more).matmul(u_t)
        return op.cat([l_t + u_t, over_adjoint(rest, adjoint(square_u), False)], -2)
    if not more:
        return l_t + u_t
    rest = moved.narrow(-1, size, more) - l_t.matmul(upper.narrow(-1, size, more))
    return op.cat([l_t + u_t, op.solve_triangular_matrices(square_l, rest, False, True)], -1)


def permutation_matrix(pivots: Tensor, like: Tensor) -> Tensor:
    rows = like._shape[-2]
    zeros = op.zeros((*pivots._shape[:-1], rows, rows), dtype=like.dtype, device=like.device)
    return zeros.scatter(-2, op.row_order(pivots, rows).unsqueeze(-2), 1)
