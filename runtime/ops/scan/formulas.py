"""Helpers of the formulas of running extrema, products and logarithms of sums along `dim`.

The slopes of what runs along a dimension run along it too, in reverse: they are linear recurrences, exact where
elements are zero and without overflow, and the slopes of a recurrence are recurrences again.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op
from ..reduction.formulas import conjugate, without_infinities

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


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


def own_share(x: Tensor, result: Tensor) -> Tensor:
    """exp(x_i - y_i), and 0 where all x so far are -inf."""
    return (x - without_infinities(result)).exp()


def remaining_share(result: Tensor, dim: int) -> Tensor:
    """exp(y_(i-1) - y_i), which is at most 1, and 0 where y_(i-1) is -inf."""
    if not result.numel() or not result.ndim:
        return op.zeros_like(result)
    later = _without_last(without_infinities(result), dim, True)
    return _padded((_without_last(result, dim, False) - later).exp(), dim, False, 0)
