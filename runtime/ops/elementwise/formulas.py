"""Helpers of composite element-wise ops, written in ops and Tensor methods so that they differentiate."""

import functools
import math
from typing import Any

from ...kernels.scalar import orthogonal_polynomials
from ...namespace import Tensor, op
from ...tensor import dtypes
from ...tensor.dtypes import finfo


def along_channels(weight: Tensor, ndim: int) -> Tensor:
    """One number for each channel, lined up with dimension 1 of a tensor of `ndim` dimensions; or one for all."""
    if weight.numel() == 1:
        return weight.reshape(())
    return weight.reshape(-1, *[1] * (ndim - 2)) if ndim > 1 else weight


def in_double(x: Tensor) -> Tensor:
    return x.to(dtypes.complex128 if x.is_complex() else dtypes.float64)


def in_single_or_double(x: Tensor) -> Tensor:
    return x if x.dtype is dtypes.float32 else x.to(dtypes.float64)


def in_computed_dtype(x: Tensor) -> Tensor:
    return x if x.dtype.native else x.to(x.dtype.compute)


def in_floats(x: Tensor) -> Tensor:
    return x if x.dtype.kind in "fc" else x.to(dtypes.get_default_dtype())


@functools.cache
def largest_number(dtype: dtypes.dtype) -> float:
    return finfo(dtype).max


def conjugate(x: Tensor) -> Tensor:
    return x.conj_physical() if x.is_complex() else x


def without_negative_infinities(x: Tensor) -> Tensor:
    real = op.real_copy(x) if x.is_complex() else x
    return x.masked_fill(real == -math.inf, 0)


def exp_of_difference(x: Tensor, log_sum: Tensor) -> Tensor:
    """exp(x - log_sum): 0 where both are -inf, 1 where both are inf."""
    if x.is_complex():
        return (x - without_negative_infinities(log_sum)).exp()
    difference = x - log_sum.masked_fill(log_sum.isinf(), 0)
    return difference.masked_fill(log_sum == math.inf, -math.inf).masked_fill(x == math.inf, 0).exp()


def multivariate_log_gamma(x: Tensor, p: int) -> Tensor:
    """ln Gamma_p(x) = p (p - 1) / 4 ln(pi) + sum_j lgamma(x - j / 2) over j = 0, ..., p - 1."""
    x = x if x.is_floating_point() else x.to(dtypes.get_default_dtype())
    total = op.lgamma(x)
    for j in range(1, p):
        total = total + op.lgamma(x - j / 2)
    return total + p * (p - 1) / 4 * math.log(math.pi)


def unfused(x: Tensor) -> Tensor:
    """x. A formula with it has no fused kernel, in which a large function would be compiled once more."""
    return x


def divide_out(x: Tensor, y: Tensor, out: Tensor | None) -> Tensor:
    return x / y if out is None else op.div(x, y, out=out)


def raised_in_place(self: Tensor, exponent: Any) -> Tensor:
    """x becomes x^e; the power is taken of a copy, for what it keeps for backward is not to be written to."""
    return self.copy_(op.float_power(op.clone(self), exponent))


def polynomial_derivative(x: Tensor, n: Tensor, kind: int, order: float) -> Tensor:
    if kind >= orthogonal_polynomials.SHIFTED:
        return 2 * polynomial_derivative(2 * x - 1, n, kind - orthogonal_polynomials.SHIFTED, order)
    degree = n.trunc()
    below = degree - 1
    if kind in (orthogonal_polynomials.HERMITE_H, orthogonal_polynomials.HERMITE_HE):
        factor = 2 if kind == orthogonal_polynomials.HERMITE_H else 1
        return factor * degree * op.orthogonal_polynomial(x, below, kind, order)
    if kind == orthogonal_polynomials.CHEBYSHEV_T:
        return degree * op.orthogonal_polynomial(x, below, orthogonal_polynomials.CHEBYSHEV_U, order)
    if kind == orthogonal_polynomials.LAGUERRE:
        return -op.orthogonal_polynomial(x, below, kind, order + 1)
    if kind == orthogonal_polynomials.GEGENBAUER:
        return 2 * order * op.orthogonal_polynomial(x, below, kind, order + 1)
    derivative = 2 * op.orthogonal_polynomial(x, below, orthogonal_polynomials.GEGENBAUER, 2.0)
    if kind == orthogonal_polynomials.CHEBYSHEV_U:
        return derivative
    other = 2 * op.orthogonal_polynomial(x, below - 1, orthogonal_polynomials.GEGENBAUER, 2.0)
    return derivative - other if kind == orthogonal_polynomials.CHEBYSHEV_V else derivative + other
