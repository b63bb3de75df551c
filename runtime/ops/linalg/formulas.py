"""Helpers of the formulas of inverses, linear systems, determinants, norms, powers and tolerances of matrices."""

from collections.abc import Sequence
from functools import reduce
from math import inf
from typing import Any, TypeAlias

from ...namespace import Tensor, op
from ...shapes import broadcast_shapes
from ...tensor.dtypes import finfo, float64
from ...tensor.observers import watch
from ..matmul.formulas import adjoint

Pair: TypeAlias = tuple[Tensor, Tensor]


def hermitian_input(x: Tensor) -> Tensor:
    """x itself, one triangle of which will be read, with the gradient of (x + x^H) / 2, as though both had been."""
    if not (x._requires_grad or watch.active):
        return x
    symmetric_part = (x + adjoint(x)) / 2
    return symmetric_part + (x - symmetric_part).detach()


def half_lower(x: Tensor) -> Tensor:
    return (x.tril() + x.tril(-1)) / 2


def of_lower(x: Tensor) -> Tensor:
    half = half_lower(x)
    return half + adjoint(half)


def of_lower_backward(grad: Tensor) -> Tensor:
    return half_lower(grad + adjoint(grad))


def is_vector(a: Tensor, b: Tensor) -> bool:
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and tuple(b._shape) == tuple(a._shape[:-1]))


def with_batch_of(x: Tensor, other: Tensor, name: str = "expand") -> Tensor:
    batch, others = x._shape[:-2], other._shape[:-2]
    return x if batch == others else x.expand((*broadcast_shapes(name, batch, others), *x._shape[-2:]))


def broadcast_batches(name: str, a: Tensor, b: Tensor) -> Pair:
    return with_batch_of(a, b, name), with_batch_of(b, a, name)


def triangle(x: Tensor, upper: bool, unitriangular: bool) -> Tensor:
    return x.triu(int(unitriangular)) if upper else x.tril(-int(unitriangular))


def third_derivative_of_det(a: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """The derivative of D^2 det(A)[X, Y] by A, in X = A^-1 first and Y = A^-1 second."""
    inverse = op.linalg_inv_ex(a).inverse
    x, y = inverse.matmul(first), inverse.matmul(second)
    xy, tx, ty = x.matmul(y), _trace(x), _trace(y)
    inner = (tx * ty - _trace(xy)) * identity_of(a) - tx * y - ty * x + xy + y.matmul(x)
    return op.cofactors(a).matmul(inner.mT)


def _trace(x: Tensor) -> Tensor:
    return x.diagonal(0, -2, -1).sum(-1, True).unsqueeze(-1)


def identity_of(x: Tensor) -> Tensor:
    return op.eye(x._shape[-1], dtype=x.dtype, device=x.device).expand(x._shape)


def norm_of_matrices(x: Tensor, order: Any, dim: Sequence[int], keepdim: bool) -> Tensor:
    rows, columns = dim
    if order == "fro":
        return op.linalg_vector_norm(x, 2, dim, keepdim)
    if order in ("nuc", 2, -2):
        values = op.linalg_svdvals(x.movedim([rows, columns], [-2, -1]))
        result = values.sum(-1) if order == "nuc" else _extreme(values, -1, order, False)
        return result.unsqueeze(min(dim)).unsqueeze(max(dim)) if keepdim else result
    along, over = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = x.abs().sum(along, True)
    result = _extreme(sums, over, order, True)
    return result if keepdim else result.squeeze([rows, columns])


def _extreme(x: Tensor, dim: int, order: Any, keepdim: bool) -> Tensor:
    """The greatest of numbers that are not negative, for an order below 0 the least; of none 0."""
    if not x._shape[dim]:
        return x.sum(dim, keepdim)
    return x.amax(dim, keepdim) if order > 0 else x.amin(dim, keepdim)


def norm_of_either(x: Tensor, order: Any, dim: Sequence[int] | None, keepdim: bool) -> Tensor:
    if order is None:
        return op.linalg_vector_norm(x, 2, dim, keepdim)
    dims = range(x.ndim) if dim is None else dim
    if len(dims) == 1:
        return op.linalg_vector_norm(x, order, list(dims), keepdim)
    return norm_of_matrices(x, order, [d % x.ndim for d in dims], keepdim)


def condition_by_values(values: Tensor, p: Any) -> Tensor:
    if not values._shape[-1]:
        return values.sum(-1)
    first, last = values.select(-1, 0), values.select(-1, -1)
    return last / first if p == -2 else first / last


def condition_by_inverse(x: Tensor, p: Any) -> Tensor:
    inverse, info = op.linalg_inv_ex(x)
    inverse = inverse.masked_fill((info != 0).unsqueeze(-1).unsqueeze(-1), 0)
    dims = (x.ndim - 2, x.ndim - 1)
    result = norm_of_matrices(x, p, dims, False) * norm_of_matrices(inverse, p, dims, False)
    return result.masked_fill(info != 0, inf)


def power_by_squaring(x: Tensor, n: int) -> Tensor:
    """A^n: the product of the A^(2^k) where |n| has a binary digit 1, each the square of the last; of A^-1 if n < 0."""
    if n == 0:
        return identity_of(x).clone()
    base = op.linalg_inv(x) if n < 0 else x
    factors, rest = [], abs(n)
    while rest:
        factors += [base] if rest % 2 else []
        rest //= 2
        base = base.matmul(base) if rest else base
    return reduce(op.matmul, factors) if len(factors) > 1 else factors[0].clone()


def tolerances(x: Tensor, atol: Any, rtol: Any) -> tuple[Tensor, Tensor]:
    """Both as tensors, one number for each matrix; rtol is eps max(rows, columns) where neither is given."""
    if rtol is None:
        rtol = 0.0 if atol is not None else finfo(x.dtype).eps * max(x._shape[-2:])
    absolute, relative = _tolerance(0.0 if atol is None else atol, x), _tolerance(rtol, x)
    batch = broadcast_shapes("tolerance", absolute._shape, relative._shape)
    return absolute.expand(batch), relative.expand(batch)


def _tolerance(value: Any, x: Tensor) -> Tensor:
    if isinstance(value, float):
        return op.full(x._shape[:-2], value, dtype=float64, device=x.device)
    value = value.detach().real if value.is_complex() else value.detach()
    return value.expand(broadcast_shapes("tolerance", value._shape, x._shape[:-2]))


def squared_modulus(x: Tensor) -> Tensor:
    return (x * x.conj_physical()).real if x.is_complex() else x * x


def moved_last(x: Tensor, dims: Sequence[int]) -> Tensor:
    last = [d % x.ndim for d in dims]
    return x.permute([*(d for d in range(x.ndim) if d not in last), *last])


def is_followed(*tensors: Tensor) -> bool:
    return watch.active or any(x._requires_grad for x in tensors)


def for_kernel(*tensors: Tensor) -> bool:
    return not is_followed(*tensors) and all(x.device.type == "cpu" and not x.is_complex() for x in tensors)


def lstsq_formula(a: Tensor, b: Tensor, rcond: float | None, driver: str | None) -> Pair:
    """By reflections, which estimate singular values; by these if the driver says so, or `rcond` is not below 1."""
    if driver in (None, "gelsy") and (rcond is None or rcond < 1) and for_kernel(a, b):
        return op.lstsq_solve(a, b, finfo(a.dtype).eps * max(a._shape[-2:]) if rcond is None else rcond)
    inverse = op.linalg_pinv(a, rtol=None if driver == "gels" else rcond)
    return inverse.matmul(b), op.linalg_matrix_rank(a, rtol=rcond)


def product_of_reflections(a: Tensor, tau: Tensor) -> Tensor:
    """The first columns of H_1 H_2 ..., H_i = I - tau_i v_i v_i^H, v_i below the diagonal of column i, with 1 on it."""
    if for_kernel(a, tau):
        return op.reflected_columns(a, tau)
    rows, columns = a._shape[-2:]
    start = op.eye(rows, columns, dtype=a.dtype, device=a.device)
    vectors, result = a.tril(-1) + start, start.expand(a._shape)
    for i in reversed(range(tau._shape[-1])):
        v = vectors.narrow(-1, i, 1)
        factor = tau.narrow(-1, i, 1).unsqueeze(-1)
        result = result - factor * v.matmul(adjoint(v).matmul(result))
    return result


def all_reflections(self: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]:
    """Reflections and their factors for the square orthogonal matrix: those that are missing are of factor 0."""
    missing = max(self._shape[-2] - self._shape[-1], 0)
    wide = op.cat([self, self.new_zeros((*self._shape[:-1], missing))], -1)[..., : self._shape[-2]]
    return wide, op.cat([tau, tau.new_zeros((*tau._shape[:-1], wide._shape[-1] - tau._shape[-1]))], -1)
