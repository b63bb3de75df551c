"""What norms, powers, ranks and solutions of matrices are composed of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf, prod
from typing import Any, TypeAlias

from ..dtypes import float64
from ..limits import finfo
from ..namespace import op
from ..shapes import broadcast_shapes
from ..structured import ReturnType
from .formulas_linalg import adjoint
from .formulas_reductions import conjugate
from .formulas_solving import hermitian_input, of_lower

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import

_LEAST_SQUARES = ReturnType("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))


def norm_of_matrices(x: Tensor, order: Any, dim: Sequence[int], keepdim: bool) -> Tensor:
    """The norm of the matrices that lie in two dimensions."""
    rows, columns = dim
    if order == "fro":
        return op.norm(x, 2, [rows, columns], keepdim)
    if order in ("nuc", 2, -2):
        values = op.linalg_svdvals(x.movedim([rows, columns], [-2, -1]))
        found = values.sum(-1) if order == "nuc" else values.amax(-1) if order == 2 else values.amin(-1)
        return _with_dims(found, (rows, columns)) if keepdim else found
    along, over = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = x.abs().sum(along, True)
    found = sums.amax(over, True) if order > 0 else sums.amin(over, True)
    return found if keepdim else found.squeeze([rows, columns])


def _with_dims(x: Tensor, dims: Sequence[int]) -> Tensor:
    """With dimensions of size 1 where a matrix was."""
    for d in sorted(dims):
        x = x.unsqueeze(d)
    return x


def norm_of_either(x: Tensor, order: Any, dim: Sequence[int] | None, keepdim: bool) -> Tensor:
    """A norm of vectors or of matrices, by the number of dimensions; of all elements if nothing is said."""
    if order is None:
        return op.norm(x, 2, dim, keepdim)
    dims = range(x.ndim) if dim is None else dim
    if len(dims) == 1:
        return op.norm(x, order, list(dims), keepdim)
    return norm_of_matrices(x, order, [d % x.ndim for d in dims], keepdim)


def condition(x: Tensor, p: Any) -> Tensor:
    """|A| |A^-1|; from the singular values for the 2-norm."""
    if p in (None, 2, -2):
        values = op.linalg_svdvals(x)
        first, last = values.narrow(-1, 0, 1), values.narrow(-1, values._shape[-1] - 1, 1)
        return (last / first if p == -2 else first / last).squeeze(-1)
    inverse, info = op.linalg_inv_ex(x)
    inverse = inverse.masked_fill((info != 0).unsqueeze(-1).unsqueeze(-1), 0)
    dims = (x.ndim - 2, x.ndim - 1)
    found = norm_of_matrices(x, p, dims, False) * norm_of_matrices(inverse, p, dims, False)
    return found.masked_fill(info != 0, inf)


def powered(x: Tensor, n: int) -> Tensor:
    """x^n by repeated squaring."""
    if n == 0:
        return op.eye(x._shape[-1], dtype=x.dtype).expand(x._shape).clone()
    base = op.linalg_inv(x) if n < 0 else x
    factors, rest = [], abs(n)
    while rest:
        factors += [base] if rest % 2 else []
        rest //= 2
        base = base.matmul(base) if rest else base
    return reduce(op.matmul, factors) if len(factors) > 1 else factors[0].clone()


def _limits(x: Tensor, atol: Any, rtol: Any) -> tuple[Tensor, Tensor]:
    """Both tolerances as tensors; the relative one is 0 where only the other is given, else by the precision."""
    if rtol is None:
        rtol = 0.0 if atol is not None else finfo(x.dtype).eps * max(x._shape[-2:])
    return _tolerance(0.0 if atol is None else atol, x), _tolerance(rtol, x)


def _tolerance(value: Any, x: Tensor) -> Tensor:
    """One number for each matrix."""
    if isinstance(value, float):
        value = op.full((), value, dtype=float64)
    value = value.detach().real if value.is_complex() else value.detach()
    return value.expand(broadcast_shapes("tolerance", value._shape, x._shape[:-2]))


def completed(x: Tensor, hermitian: bool) -> Tensor:
    """The matrix, or the Hermitian one that its lower triangle stands for."""
    return of_lower(hermitian_input(x)) if hermitian else x


def inverted(x: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    """The pseudo-inverse."""
    absolute, relative = _limits(x, atol, rtol)
    batch = broadcast_shapes("linalg_pinv", absolute._shape, relative._shape)
    whole = completed(x, hermitian).expand((*batch, *x._shape[-2:]))
    return op.pseudo_inverse(whole, absolute.expand(batch), relative.expand(batch))


def rank_of(x: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    """How many singular values are above both tolerances."""
    x = x.detach()
    values = op.linalg_eigvalsh(x).abs() if hermitian else op.linalg_svdvals(x)
    if not values._shape[-1]:
        return values.sum(-1).long()
    absolute, relative = _limits(x, atol, rtol)
    limit = op.maximum(absolute, relative * values.amax(-1))
    return (values > limit.unsqueeze(-1)).sum(-1)


def least_squares(a: Tensor, b: Tensor, rcond: float | None, driver: str | None) -> tuple[Tensor, ...]:
    """The shortest X with the least |A X - B|; the residuals, the rank and the singular values as the driver gives."""
    rows, columns = a._shape[-2:]
    driver = driver or "gelsy"
    vector = b.ndim == a.ndim - 1
    right = b.unsqueeze(-1) if vector else b
    limit = finfo(a.dtype).eps * max(rows, columns) if rcond is None else float(rcond)
    x = inverted(a, None, limit, False).matmul(right)
    values = op.linalg_svdvals(a).detach()
    rank = rank_of(a, None, limit, False)
    full = rows > columns and (driver == "gels" or driver != "gelsy" and bool((rank == columns).all()))
    residuals = square_of(a.matmul(x) - right).sum(-2) if full else values.new_zeros((0,))
    return _LEAST_SQUARES(
        x.squeeze(-1) if vector else x,
        residuals,
        rank.new_zeros((0,)) if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else values.new_zeros((0,)),
    )


def square_of(x: Tensor) -> Tensor:
    """|x|^2."""
    return (x * conjugate(x)).real if x.is_complex() else x * x


def solved_tensor(a: Tensor, b: Tensor, dims: Sequence[int] | None) -> Tensor:
    """X with tensordot(A, X, X.ndim) = B."""
    order = [d for d in range(a.ndim) if d not in [d % a.ndim for d in dims or ()]]
    moved = a.permute([*order, *(d % a.ndim for d in dims or ())])
    shape = moved._shape[b.ndim :]
    return op.linalg_solve(moved.reshape((prod(b._shape), prod(shape))), b.reshape((prod(b._shape),))).reshape(shape)


def inverted_tensor(a: Tensor, ind: int) -> Tensor:
    """The inverse of the map from the last dimensions to the first `ind`."""
    first, last = a._shape[:ind], a._shape[ind:]
    return op.linalg_inv(a.reshape((prod(first), prod(last)))).reshape((*last, *first))


def reflected(a: Tensor, tau: Tensor) -> Tensor:
    """The first columns of H_1 H_2 ..., H_i = I - tau_i v_i v_i^H, v_i below the diagonal of column i, with 1 on it."""
    rows, columns = a._shape[-2:]
    start = op.eye(rows, columns, dtype=a.dtype)
    vectors, result = a.tril(-1) + start, start.expand(a._shape)
    for i in reversed(range(tau._shape[-1])):
        v = vectors.narrow(-1, i, 1)
        factor = tau.narrow(-1, i, 1).unsqueeze(-1)
        result = result - factor * v.matmul(adjoint(v).matmul(result))
    return result
