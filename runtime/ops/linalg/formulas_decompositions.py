"""Helpers of the formulas of decompositions: QR, singular values, eigenvalues, pseudo-inverses.

What a decomposition leaves open, such as the phase of an eigenvector, must not change the value of the function that is
differentiated; the gradient is then well defined. F_ij is 1 / (v_j - v_i) of the eigenvalues; P stands for the change
of A seen from both sides, as in U^H A' V.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, TypeAlias

from ...namespace import op
from ..matmul.formulas import adjoint
from .formulas import hermitian_input

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


def determined(q: Tensor, r: Tensor, mode: str) -> Tensor:
    """Q, which is there and has no columns beyond those that A determines."""
    if mode == "r":
        raise RuntimeError("linalg_qr(): The derivative depends on Q, which is not computed when mode='r'.")
    if q._shape[-1] > r._shape[-1]:
        raise RuntimeError("linalg_qr(): There is no derivative when mode='complete' and A has more rows than columns.")
    return q


def qr_tangents(a_t: Tensor, a: Tensor, q: Tensor, r: Tensor, mode: str) -> Pair:
    """Q' = A' R^-1 - Q (C - K) and R' = (C - K) R, with C = Q^H A' R^-1 and K its skew part below the diagonal."""
    q, size = determined(q, r, mode), r._shape[-2]
    x = adjoint(
        op.solve_triangular_matrices(adjoint(r.narrow(-1, 0, size)), adjoint(a_t.narrow(-1, 0, size)), False, False)
    )
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
