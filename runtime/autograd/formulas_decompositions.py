"""Helpers of the formulas of decompositions: QR, singular values, eigenvalues, pseudo-inverses.

What a decomposition leaves open, such as the phase of an eigenvector, must not change the value of the function that is
differentiated; the gradient is then well defined. F_ij is 1 / (v_j - v_i) of the eigenvalues; P stands for the change
of A seen from both sides, as in U^H A' V.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, TypeAlias

from ..namespace import op
from ..structured import ReturnType
from .formulas_linalg import adjoint
from .formulas_solving import hermitian_input, of_lower, triangular_solved

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Pair: TypeAlias = tuple[Tensor, Tensor]


def matrix_of_diagonal(x: Tensor) -> Tensor:
    """The diagonal matrix with these elements."""
    return x.unsqueeze(-1) * op.eye(x._shape[-1], dtype=x.dtype)


def over_gaps(x: Tensor, values: Tensor, cause: Tensor) -> Tensor:
    """x_ij / (v_j - v_i), 0 on the diagonal; nan between equal values, but for a `cause` of zeros: nothing changes."""
    distance = values.unsqueeze(-2) - values.unsqueeze(-1)
    equal = distance == 0
    found = x * distance.masked_fill(equal, inf).reciprocal()
    return undefined_where(equal & (op.eye(values._shape[-1]) == 0), found, cause)


def over_columns(x: Tensor, s: Tensor, cause: Tensor) -> Tensor:
    """x_ij / s_j; nan where s_j is 0, but for a `cause` of zeros."""
    row = s.unsqueeze(-2)
    return undefined_where(row == 0, x * row.masked_fill(row == 0, inf).reciprocal(), cause)


def undefined_where(places: Tensor, x: Tensor, cause: Tensor) -> Tensor:
    """x with nan at places where there is no derivative, in matrices that are asked for one."""
    return x.masked_fill(places & (cause != 0).any((-2, -1), True), nan)


def real_diagonal(x: Tensor) -> Tensor:
    """The real parts of the elements of the diagonal."""
    found = x.diagonal(0, -2, -1)
    return found.real if found.is_complex() else found


def triangle_of(a: Tensor, uplo: str) -> Tensor:
    """A matrix whose lower triangle is the one that is asked for."""
    return hermitian_input(a if uplo == "L" else adjoint(a))


def svd_slope(grads: list[Tensor], u: Tensor, s: Tensor, vh: Tensor) -> Tensor:
    """U (K_U S + S K_V + diag(grad)) V^H, and what the gradients of U and V have outside of U and V.

    K_U = E o skew(U^H grad), E_ij = 1 / (s_j^2 - s_i^2); complex vectors add half the phase of each to the diagonal.
    """
    count = s._shape[-1]
    u, vh = u.narrow(-1, 0, count), vh.narrow(-2, 0, count)
    grad_u, grad_v = grads[0].narrow(-1, 0, count), adjoint(grads[2].narrow(-2, 0, count))
    left, right = adjoint(u).matmul(grad_u), vh.matmul(grad_v)
    inner = over_gaps(left - adjoint(left), s * s, grad_u) * s.unsqueeze(-2)
    inner = inner + s.unsqueeze(-1) * over_gaps(right - adjoint(right), s * s, grad_v)
    inner = inner + matrix_of_diagonal(grads[1]) + phases(left - right, s, left)
    result = u.matmul(inner).matmul(vh)
    if u._shape[-2] > count:
        result = result + outside(grad_u, u, s, grad_u).matmul(vh)
    if vh._shape[-1] > count:
        result = result + u.matmul(adjoint(outside(grad_v, adjoint(vh), s, grad_v)))
    return result


def outside(x: Tensor, u: Tensor, s: Tensor, cause: Tensor) -> Tensor:
    """The part of x / s that is at right angles to the columns of U."""
    divided = over_columns(x, s, cause)
    return divided - u.matmul(adjoint(u).matmul(divided))


def phases(x: Tensor, s: Tensor, cause: Tensor) -> Tensor | float:
    """i Im(x) / 2s on the diagonal; nothing for real vectors."""
    if not x.is_complex():
        return 0.0
    return over_columns(matrix_of_diagonal(0.5j * x.diagonal(0, -2, -1).imag), s, cause)


def svd_tangents(a_t: Tensor, u: Tensor, s: Tensor, vh: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The tangents of U, S and V^H, of reduced or square matrices."""
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
    """The same; of further columns of U and rows of V^H nothing may depend."""
    count = s._shape[-1]
    if u._shape[-1] == count == vh._shape[-2]:
        return svd_tangents(a_t, u, s, vh)
    found = svd_tangents(a_t, u.narrow(-1, 0, count), s, vh.narrow(-2, 0, count))
    more_u, more_v = u.narrow(-1, count, u._shape[-1] - count), vh.narrow(-2, count, vh._shape[-2] - count)
    return op.cat([found[0], more_u * 0], -1), found[1], op.cat([found[2], more_v * 0], -2)


def svd_of_old(a: Tensor, some: bool, compute_uv: bool) -> tuple[Tensor, Tensor, Tensor]:
    """U, S, V; zeros for U and V if they are not to be computed."""
    if compute_uv:
        u, s, vh = op.linalg_svd(a, not some)
        v = adjoint(vh)
    else:
        u, v = (a.new_zeros((*a._shape[:-2], n, n)) for n in a._shape[-2:])
        s = op.linalg_svdvals(a)
    return ReturnType("svd", ("U", "S", "V"))(u, s, v)


def qr_slope(grads: list[Tensor], q: Tensor, r: Tensor, mode: str) -> Tensor:
    """(grad_Q + Q T) R^-H, T Hermitian with the upper triangle of N = grad_R R^H - Q^H grad_Q.

    A wide matrix is [A1 A2] with R = Q^H [A1 A2]: A2 adds its part to the gradient of Q.
    """
    require_reduced(q, r, mode)
    grad_q, grad_r = grads
    size = r._shape[-2]
    if r._shape[-1] == size:
        return square_qr_slope(grad_q, grad_r, q, r)
    more = r._shape[-1] - size
    last, grad_last = r.narrow(-1, size, more), grad_r.narrow(-1, size, more)
    grad_q = grad_q + q.matmul(last).matmul(adjoint(grad_last))
    first = square_qr_slope(grad_q, grad_r.narrow(-1, 0, size), q, r.narrow(-1, 0, size))
    return op.cat([first, q.matmul(grad_last)], -1)


def require_reduced(q: Tensor, r: Tensor, mode: str) -> None:
    """Q is there, and has no columns beyond those that A determines."""
    if mode == "r":
        raise RuntimeError("linalg_qr(): The derivative depends on Q, which is not computed when mode='r'.")
    if q._shape[-1] > r._shape[-1]:
        raise RuntimeError("linalg_qr(): There is no derivative when mode='complete' and A has more rows than columns.")


def square_qr_slope(grad_q: Tensor, grad_r: Tensor, q: Tensor, r: Tensor) -> Tensor:
    """The gradient for a square R."""
    n = grad_r.matmul(adjoint(r)) - adjoint(q).matmul(grad_q)
    inner = grad_q + q.matmul(of_lower(adjoint(n)))
    return triangular_solved(adjoint(r), inner, False, False, False)


def qr_tangents(a_t: Tensor, a: Tensor, q: Tensor, r: Tensor, mode: str) -> Pair:
    """Q' = A' R^-1 - Q (C - K) and R' = (C - K) R, with C = Q^H A' R^-1 and K its skew part below the diagonal."""
    require_reduced(q, r, mode)
    size = r._shape[-2]
    x = triangular_solved(r.narrow(-1, 0, size), a_t.narrow(-1, 0, size), True, False, False)
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
    whole = op.linalg_matrix_exp(op.cat([above, below], -2))
    return whole.narrow(-2, 0, size).narrow(-1, size, size)
