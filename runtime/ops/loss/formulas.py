"""Helpers of the formulas of losses: reductions, and weights."""

import math
import warnings
from typing import Any

from ...namespace import Tensor, op
from .checks import REDUCTIONS, reduction_word

LONG_ROW = 1 << 10  # numbers of a row that is worth a call of its own


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
    return _reduced(loss, REDUCTIONS[reduction])


def weighted(loss: Tensor, weight: Tensor | None) -> Tensor:
    return loss if weight is None else loss * weight


def squared_error(x: Tensor, target: Tensor, reduction: int) -> Tensor:
    """(x - target)^2, reduced without memory for all of them."""
    count = x.numel()
    if not reduction or not count or not x.ndim or x._dtype is not target._dtype:
        return reduce_loss(op.squared_difference(x, target), reduction)
    rows = x.ndim > 1 and count >= LONG_ROW * x._shape[0]
    result = op.sum_of_squares(x, target, 1 / count if reduction == 1 else 1.0, list(range(rows, x.ndim)))
    return result.sum() if rows else result


def class_axis(scores: Tensor) -> int:
    return 0 if scores.ndim < 2 else 1
