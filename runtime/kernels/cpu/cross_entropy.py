"""The cross-entropy of scores and class indices, without the log-probabilities in between.

With p the softmax of the scores x of a place, t its class, w the weights of the C classes and e the label smoothing, its
loss is (1 - e) w_t (-log p_t) + (e / C) sum_c w_c (-log p_c). Forward keeps log(sum(exp(x))) of each place, from which
backward has p in one pass. `reduction` is 0 (none), 1 (mean, over the weights of the targets) or 2 (sum).
"""

from __future__ import annotations

import math

import numpy as np

from . import cross_entropy_loops as loops
from .class_loss import folded, refuse_targets, targets

Array = np.ndarray


def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Array, Array, Array]:
    """(loss, log(sum(exp(x))) of each place, total weight), for input (classes,) or (batch, classes, *places).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    x, classes = folded(input), targets(target)
    losses, log_sums = np.empty((2, *classes.shape), x.dtype)
    sums = np.empty(2)
    rows = x.shape[2] == 1
    loop = loops.losses_of_rows if rows else loops.losses_of_columns
    scores = x.reshape(x.shape[:2]) if rows else x
    bad = loop(scores, classes, _weights(weight, x), ignore_index, label_smoothing, losses, log_sums, sums)
    refuse_targets("cross_entropy", bad, classes, x.shape[1])
    total = np.asarray(sums[1], x.dtype)
    if not reduction:
        return losses.reshape(target.shape), log_sums.reshape(target.shape), total
    loss = sums[0] if reduction == 2 else sums[0] / sums[1] if sums[1] else math.nan
    return np.asarray(loss, x.dtype), log_sums.reshape(target.shape), total


def cross_entropy_backward(
    grad_output: Array,
    input: Array,
    target: Array,
    weight: Array | None,
    log_sums: Array,
    total_weight: Array,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Array:
    """u ((1 - e) w_t (p - 1_t) + (e / C) (p sum_c w_c - w)) with the gradient u of each place's loss."""
    x, classes = folded(input), targets(target)
    result = np.empty(x.shape, x.dtype)
    grads = np.ascontiguousarray(grad_output).reshape(-1)
    unit = 1.0 if reduction != 1 else 1 / float(total_weight) if total_weight else math.nan
    rows = x.shape[2] == 1
    loop = loops.slopes_of_rows if rows else loops.slopes_of_columns
    scores, slopes = (x.reshape(x.shape[:2]), result.reshape(x.shape[:2])) if rows else (x, result)
    sums = np.ascontiguousarray(log_sums).reshape(classes.shape)
    loop(scores, classes, _weights(weight, x), sums, grads, unit, ignore_index, label_smoothing, slopes)
    return result.reshape(input.shape)


def _weights(weight: Array | None, x: Array) -> Array:
    """One weight per class; no elements stand for ones."""
    return x[:0, 0, 0] if weight is None else np.ascontiguousarray(weight)
