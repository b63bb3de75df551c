"""Helpers of the formulas of running extrema, products and logarithms of sums along `dim`.

The slopes of what runs along a dimension run along it too, in reverse: they are linear recurrences, exact where
elements are zero and without overflow, and the slopes of a recurrence are recurrences again.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from ..namespace import op
from .formulas_elementwise import in_double
from .formulas_reductions import conjugate

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def add_chosen(grad: Tensor, shape: tuple[int, ...], dim: int, indices: Tensor) -> Tensor:
    """Zeros with each gradient element added at the place along `dim` that its element was taken from."""
    return op.zeros(shape, dtype=grad.dtype, device=grad.device).scatter_add(dim, indices, grad)


def one_before(x: Tensor, dim: int, reverse: bool, fill: int) -> Tensor:
    """For each element the one before it along `dim`, or after it in reverse; `fill` for the first."""
    if not x.ndim:
        return op.full_like(x, fill)
    return _padded(_without_last(x, dim, reverse), dim, reverse, fill) if x.numel() else x


def _without_last(x: Tensor, dim: int, reverse: bool) -> Tensor:
    """All along `dim` but the last, or but the first in reverse."""
    return x.narrow(dim, int(reverse), x._shape[dim] - 1)


def _padded(x: Tensor, dim: int, reverse: bool, fill: int) -> Tensor:
    """With `fill` as a new first along `dim`, or as the last in reverse."""
    return op.constant_pad_nd(x, [0, 0] * (x.ndim - 1 - dim) + ([0, 1] if reverse else [1, 0]), fill)


def transposed_recurrence(grad: Tensor, factor: Tensor, dim: int, reverse: bool) -> Tensor:
    """The transpose of y_i = x_i + f_i y_(i-1): l_i = g_i + conj(f_(i+1)) l_(i+1)."""
    return op.linear_recurrence(grad, conjugate(one_before(factor, dim, not reverse, 0)), dim, not reverse)


def recurrence_gradients(
    grad: Tensor, factor: Tensor, result: Tensor, dim: int, reverse: bool
) -> tuple[Tensor, Tensor]:
    """What x and f get of y_i = x_i + f_i y_(i-1): l_i and l_i conj(y_(i-1))."""
    slope = transposed_recurrence(grad, factor, dim, reverse)
    return slope, slope * conjugate(one_before(result, dim, reverse, 0))


def cumprod_backward(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """y_i = x_i y_(i-1): what reaches y_i, times y_(i-1); nothing is divided, so that zeros do no harm."""
    return transposed_recurrence(grad, self, dim, False) * conjugate(one_before(result, dim, False, 1))


def logcumsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """d y_i / d x_j = exp(x_j - y_j) exp(y_j - y_(j+1)) ... exp(y_(i-1) - y_i), and 0 where x_j is -inf.

    In double precision: there are as many factors as elements, each a little less than 1.
    """
    x, y = in_double(self), in_double(result)
    reaching = transposed_recurrence(in_double(grad), remaining_share(y, dim), dim, False)
    return (reaching * conjugate(own_share(x, y))).to(grad.dtype)


def logcumsumexp_tangent(self: Tensor, result: Tensor, tangent: Tensor, dim: int) -> Tensor:
    """What has come so far counts by its share of the sum, and so does what is new; in double precision."""
    x, y = in_double(self), in_double(result)
    return op.linear_recurrence(in_double(tangent) * own_share(x, y), remaining_share(y, dim), dim, False).to(
        tangent.dtype
    )


def own_share(x: Tensor, result: Tensor) -> Tensor:
    """exp(x_i - y_i), and 0 where all x so far are -inf."""
    return (x - _without_infinities(result)).exp()


def remaining_share(result: Tensor, dim: int) -> Tensor:
    """exp(y_(i-1) - y_i), which is at most 1, and 0 where y_(i-1) is -inf."""
    if not result.numel() or not result.ndim:
        return op.zeros_like(result)
    later = _without_last(_without_infinities(result), dim, True)
    return _padded((_without_last(result, dim, False) - later).exp(), dim, False, 0)


def _without_infinities(x: Tensor) -> Tensor:
    """0 in place of -inf."""
    real = op.real_copy(x) if x.is_complex() else x
    return x.masked_fill(real == -math.inf, 0)
