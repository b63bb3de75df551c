"""Reducing losses of single values, and the slopes of binary cross-entropy, in ops that differentiate again."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def reduce_loss(loss: Tensor, reduction: int) -> Tensor:
    """The loss of every value as it is (0), its mean (1), or its sum (2)."""
    if reduction == 1 and loss.numel():
        return loss.mean()
    return loss.sum() if reduction else loss  # of no values the mean has no slope, which is no number either


def spread_loss(grad: Tensor, numel: int, reduction: int) -> Tensor:
    """The gradient of each value's loss when `grad` is that of the reduced loss."""
    return grad / max(numel, 1) if reduction == 1 else grad


def weighted(loss: Tensor, weight: Tensor | None) -> Tensor:
    """The loss of every value times its weight."""
    return loss if weight is None else loss * weight


def probability_logit(p: Tensor) -> Tensor:
    """log(p) - log(1 - p), both logarithms at least -100."""
    return p.log().clamp(-100) - (-p).log1p().clamp(-100)


def bernoulli_variance(p: Tensor) -> Tensor:
    """p (1 - p), at least 1e-12."""
    return (p * (1 - p)).clamp(1e-12)


def logit_derivative(x: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d loss / dx of binary cross-entropy with logits: (1 - t) sigmoid(x) - pos_weight t sigmoid(-x)."""
    if pos_weight is None:
        return x.sigmoid() - target
    return (1 - target) * x.sigmoid() - pos_weight * target * (-x).sigmoid()


def logit_second_derivative(x: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d^2 loss / dx^2: (1 - t + pos_weight t) sigmoid(x) sigmoid(-x)."""
    spread = x.sigmoid() * (-x).sigmoid()
    return spread if pos_weight is None else (1 + (pos_weight - 1) * target) * spread


def logit_mixed_derivative(x: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d^2 loss / dx dt: -sigmoid(x) - pos_weight sigmoid(-x)."""
    if pos_weight is None:
        return -(x.new_ones(x._shape))
    return -x.sigmoid() - pos_weight * (-x).sigmoid()


def logit_target_derivative(x: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d loss / dt: pos_weight softplus(-x) - softplus(x), with softplus(x) = -logsigmoid(-x)."""
    if pos_weight is None:
        return -x
    return op.logsigmoid(-x) - pos_weight * op.logsigmoid(x)


def class_axis(scores: Tensor) -> int:
    """The dimension of the classes: the second, or the only one."""
    return 0 if scores.ndim < 2 else 1
