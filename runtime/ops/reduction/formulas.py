"""Helpers of the formulas of reductions. `dim` is a tuple of dimensions, one dimension, or None for all."""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from ...autograd.locally_constant import step_function_of
from ...dispatch.shape_rules import is_known
from ...errors import warn_user
from ...kernels.cpu.reduce_layout import reduced_dims_of
from ...namespace import Tensor, op
from ..elementwise.formulas import conjugate, exp_of_difference

Dims: TypeAlias = Sequence[int] | int | None


def all_dims_but(dim: int, ndim: int) -> list[int]:
    return [d for d in range(ndim) if d != dim]


def reduced_count(shape: Sequence[int], dim: Dims) -> int:
    """How many elements go into one element of the result, and 1 when none do: a divisor."""
    return math.prod(shape[d] for d in reduced_dims_of(len(shape), dim)) or 1


def restore_reduced_dims(x: Tensor, shape: Sequence[int], dim: Dims, keepdim: bool) -> Tensor:
    if keepdim:
        return x
    reduced = reduced_dims_of(len(shape), dim)
    return x.reshape([1 if d in reduced else n for d, n in enumerate(shape)])


def exponential_share(x: Tensor, log_sum: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The part of each exp(x) in the sum along `dim`; infinities share alike."""
    share = exp_of_difference(x, restore_reduced_dims(log_sum, x._shape, dim, keepdim))
    if x.is_complex():
        return share
    infinities = (x == math.inf).sum(dim, keepdim)
    return share / restore_reduced_dims(infinities.clamp(1), x._shape, dim, keepdim)


def complex_logsumexp(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """shift + log sum exp(x - shift) over `dim`, shift being the greatest real part where that is finite."""
    real = x.detach().real
    dims = reduced_dims_of(len(x._shape), dim)
    if 0 in [x._shape[d] for d in dims]:
        return x.exp().sum(dims, keepdim).log()
    top = op.amax(real, dims, True)
    shift = top.masked_fill(~op.isfinite(top), 0)
    total = (x - shift).exp().sum(dims, keepdim).log()
    return total + (shift if keepdim else shift.reshape(total._shape))


def complex_std(x: Tensor, dim: Dims, correction: float, keepdim: bool) -> Tensor:
    """The root of the variance, of numbers over a power of two near the largest part; its gradient is 0 where it is."""
    dims = reduced_dims_of(len(x._shape), dim)
    if 0 in [x._shape[d] for d in dims]:
        return op.var(x, dims, correction=correction, keepdim=keepdim)
    top = op.amax(op.maximum(x.detach().real.abs(), x.detach().imag.abs()), dims, True)
    unit = op.exp2(op.floor(op.log2(top.masked_fill(~((top > 0) & (top < math.inf)), 1))))
    variance = op.var(x / unit, dims, correction=correction, keepdim=keepdim)
    is_zero = variance == 0
    root = variance.masked_fill(is_zero, 1).sqrt().masked_fill(is_zero, 0)
    return root * (unit if keepdim else unit.reshape(root._shape))


def directional_derivative(gradient: Tensor, tangent: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The derivative of a real reduction along a tangent: Re sum_i conj(g_i) t_i over `dim`."""
    product = op.real_copy(conjugate(gradient) * tangent) if tangent.is_complex() else gradient * tangent
    return op.sum(product, reduced_dims_of(len(tangent._shape), dim), keepdim)


def is_extreme(x: Tensor, extreme: Tensor) -> Tensor:
    """1 for the elements that are the extreme, as nan is where the result is nan; 0 for the others."""
    equal = (x == extreme) | (op.isnan(x) & op.isnan(extreme))
    return step_function_of(equal.to(x.dtype), x, extreme)


def variance_scale(shape: Sequence[int], dim: Dims, correction: float) -> float:
    """2 / (n - correction), the factor of x - mean in the gradient of the variance; inf where no number is free."""
    free = reduced_count(shape, dim) - correction
    return 2 / free if free > 0 else math.inf


def gradient_of_norm(x: Tensor, norm: Tensor, p: float, dim: Dims) -> Tensor:
    """d norm / d x_i = sgn(x_i) (|x_i| / norm)^(p - 1), and 0 where x_i is 0; the norm has its dimensions kept. For p =
    inf and -inf the x_i that are the greatest, or least, in size share it evenly; for p = 0 it is 0."""
    if p == 0 or 0 in x._shape:
        return step_function_of(op.zeros_like(x), x)
    if p == 1:
        return x.sgn()
    if math.isinf(p):
        sizes = x.abs()  # compared with their own extremum: another |x| may differ in the last bit
        reduced = reduced_dims_of(len(x._shape), dim)
        chosen = (sizes == (op.amax if p > 0 else op.amin)(sizes, reduced, True)).to(sizes.dtype)
        return x.sgn() * (chosen / chosen.sum(reduced, True))
    divisor = norm.masked_fill(norm == 0, math.inf)
    if p == 2:
        return x / divisor
    zero = (x == 0) | (norm == 0)
    share = (x.abs() / divisor).masked_fill(zero, 1)
    return x.sgn().masked_fill(zero, 0) * share ** (p - 1)


def prod_others_backward(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """d/de prod_{j != i} (x_j + e g_j): derivative and transpose in one, for second derivatives are symmetric."""
    if not self.ndim or self._shape[dim] < 2:
        return op.zeros_like(self)
    x, tangent = conjugate(self).transpose(dim, 0), grad.transpose(dim, 0)
    before, before_t = _products_before(x, tangent)
    after, after_t = (part.flip([0]) for part in _products_before(x.flip([0]), tangent.flip([0])))
    return (before_t * after + before * after_t).transpose(dim, 0)


def _products_before(x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    """The product of all rows before each row and its derivative along t, by doubling: (ab)' = a'b + ab'."""
    x, t = _moved_down(x, 1, 1), _moved_down(t, 1, 0)
    step = 1
    while step < x._shape[0]:
        y, u = _moved_down(x, step, 1), _moved_down(t, step, 0)
        x, t = x * y, t * y + x * u
        step *= 2
    return x, t


def _moved_down(x: Tensor, rows: int, fill: int) -> Tensor:
    return op.constant_pad_nd(x, [0, 0] * (x.ndim - 1) + [rows, -rows], fill)


def joint_weight(fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    if fweights is None:
        return None if aweights is None else aweights.reshape(-1)
    return fweights.reshape(-1) if aweights is None else fweights.reshape(-1) * aweights.reshape(-1)


def degrees_of_freedom(free: Any) -> Any:
    if is_known(free) and free <= 0:
        warn_user(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
        return 0
    return free


def over_largest(rows: Tensor) -> Tensor:
    """Rows over their largest element, taken as constant: what has no scale does not depend on it."""
    if not rows.numel():
        return rows
    largest = rows.detach().abs().amax(1, True)
    return rows / largest.masked_fill(largest == 0, 1)


def correlation_of_covariance(matrix: Tensor) -> Tensor:
    if not matrix.ndim:
        return matrix / matrix
    variances = matrix.diagonal()
    deviations = (op.real_copy(variances) if matrix.is_complex() else variances).sqrt()
    scaled = matrix / deviations.unsqueeze(1) / deviations
    if not scaled.is_complex():
        return scaled.clamp(-1, 1)
    return op.real_copy(scaled).clamp(-1, 1) + 1j * op.imag_copy(scaled).clamp(-1, 1)
