"""The cross-entropy of logits whose classes are split over ranks."""

from typing import Any

from ....generated.ops import sum_of_ranks, where
from ....generated.ops import vocab_parallel_cross_entropy as losses_of_ranks
from .layers import group_of

_REDUCTIONS = ("none", "mean", "sum")


def vocab_parallel_cross_entropy(
    input: Any,
    target: Any,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
    group: Any = None,
) -> Any:
    """The cross-entropy of logits of which each rank has those of its own classes: no rank ever has all of them.

    Formula: l_i = log sum_j exp(x_ij) - (1 - s) x_{i, t_i} - s / C sum_j x_ij, with j over the classes of all ranks

    Args:
        input: logits of shape (*, C / ranks), as of a ColumnParallelLinear without `gather_output`.
        target: classes from 0 to C - 1 of shape (*), the same on all ranks.
        ignore_index: a target that adds nothing, and gets no gradient.
        reduction: "none", "mean" (over the targets that count) or "sum".
        label_smoothing: s, from 0 to 1.
        group: the process group; the default one when left out.

    Returns: The loss, the same on all ranks: () or, without reduction, (*).

    Raises:
        ValueError: another reduction, or a label_smoothing outside of [0, 1].
        IndexError: a class that no rank has.

    Source: Shoeybi et al. 2019, section 3.
    """
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction: expected one of {', '.join(_REDUCTIONS)}")
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    chosen = group_of("vocab_parallel_cross_entropy", group)
    logits, classes = input.reshape(-1, input.shape[-1]), target.reshape(-1)
    counted = classes != ignore_index
    loss, logarithm = losses_of_ranks(logits, where(counted, classes, 0), chosen)
    if label_smoothing:
        mean = sum_of_ranks(logits.sum(-1), chosen) / (chosen.size() * input.shape[-1])
        loss = (1 - label_smoothing) * loss + label_smoothing * (logarithm - mean)
    loss = where(counted, loss, 0)
    if reduction == "none":
        return loss.view(target.shape)
    return loss.sum() / counted.sum() if reduction == "mean" else loss.sum()
