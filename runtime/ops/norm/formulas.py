"""Helpers of the formulas of norms, written in ops and Tensor methods so that they differentiate again."""

from math import prod

from ...namespace import Tensor, op


def grouped(x: Tensor, groups: int) -> Tensor:
    return x.reshape(x._shape[0], groups, x._shape[1] // groups, prod(x._shape[2:]))


def sum_all_but(x: Tensor, dim: int) -> Tensor:
    return op.sum(x, [d for d in range(x.ndim) if d != dim])


def per_channel(values: Tensor, ndim: int) -> Tensor:
    return values.reshape([-1] + [1] * (ndim - 2))


def inverse_length(x: Tensor, eps: float) -> Tensor:
    """1 / sqrt(x^2 + eps), also where no dtype has the square."""
    return 1 / x.hypot(op.full_like(x, eps**0.5)) if eps >= 0 else (x * x + eps).rsqrt()
