"""Helpers of the formulas of losses: reductions, and the derivatives of binary cross-entropy, in ops."""

import math
import warnings
from typing import Any

from ...namespace import Tensor, op
from .checks import REDUCTIONS, reduction_word


def reduced_loss(name: str, loss: Tensor, size_average: bool | None, reduce: bool | None, reduction: str) -> Tensor:
    return _reduced(loss, reduction_word(name, size_average, reduce, reduction))


def _reduced(loss: Tensor, word: str) -> Tensor:
    return loss.mean() if word == "mean" else loss.sum() if word == "sum" else loss


def weighted_mean(
    name: str, loss: Tensor, weight: Tensor | None, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    word = reduction_word(name, size_average, reduce, reduction)
    if weight is not None and word == "mean":
        return (loss * weight).sum() / weight.sum()
    return _reduced(weighted(loss, weight), word)


def reduced_divergence(
    loss: Tensor, rows: int, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.",
            stacklevel=3,
        )
    word = reduction_word("kl_div", size_average, reduce, reduction, (*REDUCTIONS, "batchmean"))
    return loss.sum() / rows if word == "batchmean" else _reduced(loss, word)


def gaussian_values(x: Tensor, target: Tensor, var: Tensor | float, full: bool, eps: float) -> Tensor:
    """(log v + (x - t)^2 / v) / 2 with v at least eps, which the gradient does not see; in full, + log(2 pi) / 2."""
    if isinstance(var, float):
        v: Any = op.full_like(x, max(var, eps))
    else:
        v = var + (eps - var.detach()).clamp(0)
    loss = 0.5 * (v.log() + (x - target).square() / v)
    return loss + 0.5 * math.log(2 * math.pi) if full else loss


def reduce_loss(loss: Tensor, reduction: int) -> Tensor:
    if reduction == 1 and loss.numel():
        return loss.mean()
    return loss.sum() if reduction else loss  # the mean of no values is nan, whose gradient has no elements


def reduce_loss_backward(grad: Tensor, numel: int, reduction: int) -> Tensor:
    return grad / max(numel, 1) if reduction == 1 else grad


def weighted(loss: Tensor, weight: Tensor | None) -> Tensor:
    return loss if weight is None else loss * weight


def probability_logit(p: Tensor) -> Tensor:
    return p.log().clamp(-100) - (-p).log1p().clamp(-100)


def bernoulli_variance(p: Tensor) -> Tensor:
    return (p * (1 - p)).clamp(1e-12)


def logit_derivative(x: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    if pos_weight is None:
        return x.sigmoid() - target
    return (1 - target) * x.sigmoid() - pos_weight * target * (-x).sigmoid()


def logit_second_derivative(x: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    sigmoid_grad = x.sigmoid() * (-x).sigmoid()
    return sigmoid_grad if pos_weight is None else (1 + (pos_weight - 1) * target) * sigmoid_grad


def logit_mixed_derivative(x: Tensor, pos_weight: Tensor | None) -> Tensor:
    if pos_weight is None:
        return -(x.new_ones(x._shape))
    return -x.sigmoid() - pos_weight * (-x).sigmoid()


def logit_target_derivative(x: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d loss / dt: pos_weight softplus(-x) - softplus(x), with softplus(x) = -logsigmoid(-x)."""
    if pos_weight is None:
        return -x
    return op.logsigmoid(-x) - pos_weight * op.logsigmoid(x)


def class_axis(scores: Tensor) -> int:
    return 0 if scores.ndim < 2 else 1
