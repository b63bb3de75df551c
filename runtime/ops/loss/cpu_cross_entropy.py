"""The cross-entropy of scores and class indices, without the log-probabilities in between.

With p the softmax of the scores x of a place, t its class, w the weights of the C classes and e the label smoothing,
the loss is (1 - e) w_t (-log p_t) + (e / C) sum_c w_c (-log p_c). Forward keeps log(sum(exp(x))) of each place, from
which backward has p in one pass. `reduction` is 0 (none), 1 (mean, over the weights of the targets) or 2 (sum).
"""

from __future__ import annotations

import numpy as np

from ...pool.parallel_for import shared
from . import cpu_cross_entropy_columns as columns
from . import cpu_cross_entropy_loops as rows

Array = np.ndarray

_NO_WEIGHTS = {dtype: np.empty(0, dtype) for dtype in map(np.dtype, (np.float32, np.float64))}


def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Array, Array]:
    """The loss; and log(sum(exp(x))) of each place with the total weight behind them.

    Args:
        input: (classes,) or (batch, classes, *places).
        target: (), or (batch, *places).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    classes, x, weights = _targets(target), _folded(input, target), _weights(weight, input)
    losses = np.empty(1 if reduction else classes.size, x.dtype)
    kept = np.empty(classes.size + 1, x.dtype)
    block = rows.BLOCK if x.ndim == 2 else 1
    sums = np.empty(3 * -(-len(x) // block))
    loop = rows.losses_of_rows if x.ndim == 2 else columns.losses_of_columns
    arguments = (x, classes, weights, reduction, ignore_index, label_smoothing, losses, kept, sums)
    shared(loop, arguments, len(x), x.size, block)
    bad = rows.finish_losses(losses, kept, reduction, sums)
    if bad >= 0:
        raise IndexError(
            f"cross_entropy_loss(): Target {classes[bad]} is out of bounds: expected a class in [0, {x.shape[1] - 1}]"
        )
    return losses.reshape(() if reduction else target.shape), kept


def cross_entropy_backward(
    grad_output: Array,
    input: Array,
    target: Array,
    weight: Array | None,
    kept: Array,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Array:
    """u ((1 - e) w_t (p - 1_t) + (e / C) (p sum_c w_c - w)) with the gradient u of each place's loss."""
    classes, x, weights = _targets(target), _folded(input, target), _weights(weight, input)
    result = np.empty(x.shape, x.dtype)
    grads = np.ascontiguousarray(grad_output).reshape(-1)
    loop = rows.slopes_of_rows if x.ndim == 2 else columns.slopes_of_columns
    arguments = (x, classes, weights, kept, grads, reduction, ignore_index, label_smoothing, result)
    shared(loop, arguments, len(x), x.size)
    return result.reshape(input.shape)


def _targets(target: Array) -> Array:
    """The targets in one line."""
    return np.ascontiguousarray(target, np.int64).reshape(-1)


def _folded(input: Array, target: Array) -> Array:
    """The scores as (batch, classes), or (batch, classes, places) where there are places."""
    if target.ndim < 2:
        return np.ascontiguousarray(input if input.ndim == 2 else input.reshape(1, -1))
    batch, count = input.shape[:2]
    return np.ascontiguousarray(input).reshape(batch, count, target.size // max(batch, 1))


def _weights(weight: Array | None, input: Array) -> Array:
    """One weight for each class; none stand for ones."""
    return _NO_WEIGHTS[input.dtype] if weight is None else np.ascontiguousarray(weight)
