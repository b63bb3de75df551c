"""Helpers of the formulas of running extrema, products and logarithms of sums, and of differences along `dim`.

The gradients of what runs along a dimension run along it too, in reverse: they are linear recurrences, exact where
elements are zero and without overflow, and the gradients of a recurrence are recurrences again.
"""

import math

from ...namespace import Tensor, op
from ..elementwise.formulas import conjugate, exp_of_difference


def one_before(x: Tensor, dim: int, reverse: bool, fill: int) -> Tensor:
    if not x.ndim:
        return op.full_like(x, fill)
    return _padded(_without_last(x, dim, reverse), dim, reverse, fill) if x.numel() else x


def _without_last(x: Tensor, dim: int, reverse: bool) -> Tensor:
    return x.narrow(dim, int(reverse), x._shape[dim] - 1)


def _padded(x: Tensor, dim: int, reverse: bool, fill: int) -> Tensor:
    return op.constant_pad_nd(x, [0, 0] * (x.ndim - 1 - dim) + ([0, 1] if reverse else [1, 0]), fill)


def transposed_recurrence(grad: Tensor, factor: Tensor, dim: int, reverse: bool) -> Tensor:
    """The transpose of y_i = x_i + f_i y_(i-1): l_i = g_i + conj(f_(i+1)) l_(i+1)."""
    return op.linear_recurrence(grad, conjugate(one_before(factor, dim, not reverse, 0)), dim, not reverse)


def own_share(x: Tensor, result: Tensor, dim: int) -> Tensor:
    """exp(x_i - y_i); of infinities, which share alike, the reciprocal of how many there are up to i."""
    share = exp_of_difference(x, result)
    return share if x.is_complex() else share / (x == math.inf).cumsum(dim).clamp(1)


def remaining_share(result: Tensor, share: Tensor, dim: int) -> Tensor:
    """exp(y_(i-1) - y_i), which is at most 1, and 0 where y_(i-1) is -inf."""
    if not result.numel() or not result.ndim:
        return op.zeros_like(result)
    before, later = _without_last(result, dim, False), _without_last(result, dim, True)
    rest = exp_of_difference(before, later)
    if not rest.is_complex():
        rest = op.where(before == math.inf, 1 - _without_last(share, dim, True), rest)
    return _padded(rest, dim, False, 0)


def neighbours(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    count = max(x._shape[dim] - 1, 0)
    return x.narrow(dim, 0, count), x.narrow(dim, x._shape[dim] - count, count)


def differences(self: Tensor, n: int, dim: int, prepend: Tensor | None, append: Tensor | None) -> Tensor:
    if n == 0:
        return op.clone(self)
    parts = [x for x in (prepend, self, append) if x is not None]
    result = op.cat(parts, dim) if len(parts) > 1 else self
    for _ in range(min(n, result._shape[dim] + 1)):
        before, after = neighbours(result, dim)
        result = op.logical_xor(after, before) if result.dtype.kind == "b" else after - before
    return result


def trapezoids(y: Tensor, spacing: Tensor | float, dim: int) -> Tensor:
    before, after = neighbours(y, dim)
    return (before + after) * spacing


def area_between(y: Tensor, spacing: float, dim: int) -> Tensor:
    """The area below samples at equal distances: all but the two at the ends count whole."""
    count = y._shape[dim]
    if count < 2:
        return trapezoids(y, spacing, dim).sum(dim) / 2
    ends = y.select(dim, 0) + y.select(dim, count - 1)
    return (y.narrow(dim, 1, count - 2).sum(dim) + ends / 2) * spacing


def spacings(y: Tensor, x: Tensor, dim: int) -> Tensor:
    if x.ndim == 1:
        x = x.reshape([-1] + [1] * (y.ndim - 1 - dim))
    shaped = x.reshape([1] * (y.ndim - x.ndim) + list(x._shape))
    before, after = neighbours(shaped, dim)
    return after - before
