"""Helpers of the formulas of cross-entropy, written in ops so that they differentiate again."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def cross_entropy_slope(
    grad: Tensor,
    x: Tensor,
    target: Tensor,
    weight: Tensor | None,
    kept: Tensor,
    reduction: int,
    ignore_index: int,
    smoothing: float,
) -> Tensor:
    """u ((1 - e) w_t (p - 1_t) + (e / C) (p sum_c w_c - w)) with the gradient u of each place's loss."""
    dim = 0 if x.ndim < 2 else 1
    counted = target != ignore_index
    chosen = target.masked_fill(counted.logical_not(), 0).to(op.arange(0).dtype)
    grad = grad / kept.select(0, -1) if reduction == 1 else grad
    grad = grad * counted.to(x.dtype)
    own = grad * (1 - smoothing) if weight is None else grad * op.index(weight, [chosen]) * (1 - smoothing)
    hit = op.zeros_like(x).scatter(dim, chosen.unsqueeze(dim), own.expand(target._shape).unsqueeze(dim))
    evenly = grad * (smoothing / x._shape[dim])
    every = x._shape[dim] if weight is None else weight.sum()
    slope = op.softmax(x, dim) * (own + evenly * every).expand(target._shape).unsqueeze(dim) - hit
    if not smoothing:
        return slope
    each = 1 if weight is None else weight.reshape([-1] + [1] * (x.ndim - dim - 1))
    return slope - evenly.expand(target._shape).unsqueeze(dim) * each


def cross_entropy_tangent(
    tangent: Tensor, x: Tensor, target: Tensor, weight: Tensor | None, kept: Tensor, *rest: Any
) -> Tensor:
    """The slope of each place's loss along the tangent, reduced as the loss is."""
    reduction, ignore_index, smoothing = rest
    unit = op.ones(target._shape, dtype=x.dtype, device=x.device)
    slope = cross_entropy_slope(unit, x, target, weight, kept, 0, ignore_index, smoothing)
    moved = (slope * tangent).sum(0 if x.ndim < 2 else 1)
    return moved.sum() / kept.select(0, -1) if reduction == 1 else moved.sum() if reduction == 2 else moved
