"""What losses of single values are composed of: ops, so that they differentiate."""

from __future__ import annotations

import math
import warnings
from typing import Any, TypeAlias

from ...functions.loss_reduction import WORDS, reduction_word
from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def reduced_loss(name: str, loss: Tensor, size_average: bool | None, reduce: bool | None, reduction: str) -> Tensor:
    """The loss of every value as it is, its mean, or its sum, as the words of the op `name` say."""
    word = reduction_word(name, size_average, reduce, reduction)
    return loss.mean() if word == "mean" else loss.sum() if word == "sum" else loss


def weighted_mean(
    name: str, loss: Tensor, weight: Tensor | None, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    """As `reduced_loss`, of the loss times its weights: the mean is over the sum of the weights."""
    word = reduction_word(name, size_average, reduce, reduction)
    if weight is not None and word == "mean":
        return (loss * weight).sum() / weight.sum()
    loss = loss if weight is None else loss * weight
    return loss.mean() if word == "mean" else loss.sum() if word == "sum" else loss


def reduced_divergence(
    loss: Tensor, rows: int, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    """As `reduced_loss`; 'batchmean' divides the sum by the number of rows, as the definition does."""
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.",
            stacklevel=3,
        )
    word = reduction_word("kl_div", size_average, reduce, reduction, (*WORDS, "batchmean"))
    if word == "batchmean":
        return loss.sum() / rows
    return loss.mean() if word == "mean" else loss.sum() if word == "sum" else loss


def gaussian_values(x: Tensor, target: Tensor, var: Tensor | float, full: bool, eps: float) -> Tensor:
    """(log v + (x - t)^2 / v) / 2 with v at least eps, which the gradient does not see; in full, + log(2 pi) / 2."""
    if isinstance(var, float):
        v: Any = op.full_like(x, max(var, eps))
    else:
        v = var - var.detach() + var.detach().clamp(eps)
    loss = 0.5 * (v.log() + (x - target).square() / v)
    return loss + 0.5 * math.log(2 * math.pi) if full else loss
