"""The negative log-likelihood loss of class indices. `reduction` is 0 (none), 1 (mean) or 2 (sum)."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray


def nll_loss(
    input: Array, target: Array, weight: Array | None = None, reduction: int = 1, ignore_index: int = -100
) -> tuple[Array, Array]:
    """(loss, total weight of the targets that count), for input (classes,) or (batch, classes, *dims).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    x, classes = _folded(input), _targets(target)
    weights = _weights(weight, x)
    losses = np.empty(classes.shape, x.dtype)
    sums = np.zeros(2)
    _refuse(_nll_losses(x, classes, weights, ignore_index, losses, sums), classes, x.shape[1])
    total = np.asarray(sums[1] if reduction else 0, input.dtype)
    if not reduction:
        return losses.reshape(target.shape), total
    loss = sums[0] if reduction == 2 else sums[0] / sums[1] if sums[1] else math.nan
    return np.asarray(loss, input.dtype), total


def nll_loss_backward(
    grad_output: Array,
    target: Array,
    weight: Array | None,
    total_weight: Array,
    input_shape: tuple[int, ...],
    reduction: int,
    ignore_index: int,
) -> Array:
    """-weight[t] grad_output at each target class t (over the total weight for a mean), zero elsewhere."""
    result = np.zeros(input_shape, grad_output.dtype)
    classes, folded = _targets(target), _folded(result)
    grad = grad_output / (total_weight or math.nan) if reduction == 1 else grad_output
    grads = np.ascontiguousarray(np.broadcast_to(grad, target.shape)).reshape(classes.shape)
    weights = _weights(weight, folded)
    _refuse(_nll_backward(grads, classes, weights, ignore_index, folded), classes, folded.shape[1])
    return result


def _folded(array: Array) -> Array:
    """The array as (batch, classes, positions)."""
    shape = array.shape if array.ndim > 1 else (1, *array.shape)
    return np.ascontiguousarray(array).reshape(*shape[:2], math.prod(shape[2:]))


def _targets(target: Array) -> Array:
    """The targets as (batch, positions)."""
    batch = target.shape[0] if target.ndim else 1
    return np.ascontiguousarray(target, np.int64).reshape(batch, target.size // max(batch, 1))


def _weights(weight: Array | None, scores: Array) -> Array:
    return np.ones(scores.shape[1], scores.dtype) if weight is None else np.ascontiguousarray(weight)


def _refuse(bad: int, classes: Array, count: int) -> None:
    if bad >= 0:
        target = classes.reshape(-1)[bad]
        raise IndexError(f"nll_loss(): Target {target} is out of bounds: expected a class in [0, {count - 1}]")


@jit
def _nll_losses(x: Array, classes: Array, weights: Array, ignored: int, losses: Array, sums: Array) -> int:
    """Fills the losses, and the sums of losses and of weights; the index of the first bad target, or -1."""
    for n in range(classes.shape[0]):
        for position in range(classes.shape[1]):
            target = classes[n, position]
            losses[n, position] = 0
            if target == ignored:
                continue
            if target < 0 or target >= x.shape[1]:
                return n * classes.shape[1] + position
            losses[n, position] = -weights[target] * x[n, target, position]
            sums[0] += losses[n, position]
            sums[1] += weights[target]
    return -1


@jit
def _nll_backward(grads: Array, classes: Array, weights: Array, ignored: int, result: Array) -> int:
    """Fills the gradient; the index of the first bad target, or -1."""
    for n in range(classes.shape[0]):
        for position in range(classes.shape[1]):
            target = classes[n, position]
            if target == ignored:
                continue
            if target < 0 or target >= result.shape[1]:
                return n * classes.shape[1] + position
            result[n, target, position] = -weights[target] * grads[n, position]
    return -1
