"""The negative log-likelihood loss of class indices. `reduction` is 0 (none), 1 (mean) or 2 (sum)."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit


def nll_loss(
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
) -> tuple[np.ndarray, np.ndarray]:
    """(loss, total weight of the targets that count), for input (classes,) or (batch, classes, *places).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    x, classes, weights = _folded(input), _targets(target), _weights(weight, input)
    losses = np.empty(classes.shape, x.dtype)
    sums = np.zeros(2)
    _refuse(_nll_losses(x, classes, weights, ignore_index, losses, sums), classes, x.shape[1])
    total = np.asarray(sums[1] if reduction else 0, input.dtype)
    if not reduction:
        return losses.reshape(target.shape), total
    loss = sums[0] if reduction == 2 else sums[0] / sums[1] if sums[1] else math.nan
    return np.asarray(loss, input.dtype), total


def nll_loss_backward(
    grad_output: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    total_weight: np.ndarray,
    input_shape: tuple[int, ...],
    reduction: int,
    ignore_index: int,
) -> np.ndarray:
    """-weight[t] grad_output at each target class t (over the total weight for a mean), zero elsewhere."""
    result = np.zeros(input_shape, grad_output.dtype)
    classes, slopes = _targets(target), _folded(result)
    grad = grad_output / (total_weight or math.nan) if reduction == 1 else grad_output
    grads = np.ascontiguousarray(np.broadcast_to(grad, target.shape)).reshape(classes.shape)
    weights = _weights(weight, slopes)
    _refuse(_nll_backward(grads, classes, weights, ignore_index, slopes), classes, slopes.shape[1])
    return result


def _folded(array: np.ndarray) -> np.ndarray:
    """The array as (batch, classes, places)."""
    shape = array.shape if array.ndim > 1 else (1, *array.shape)
    return np.ascontiguousarray(array).reshape(*shape[:2], math.prod(shape[2:]))


def _targets(target: np.ndarray) -> np.ndarray:
    """The targets as (batch, places)."""
    batch = target.shape[0] if target.ndim else 1
    return np.ascontiguousarray(target, np.int64).reshape(batch, target.size // max(batch, 1))


def _weights(weight: np.ndarray | None, input: np.ndarray) -> np.ndarray:
    classes = input.shape[1] if input.ndim > 1 else input.shape[0]
    return np.ones(classes, input.dtype) if weight is None else np.ascontiguousarray(weight)


def _refuse(bad: int, classes: np.ndarray, count: int) -> None:
    if bad >= 0:
        target = classes.reshape(-1)[bad]
        raise IndexError(f"nll_loss(): Target {target} is out of bounds: expected a class in [0, {count - 1}]")


@jit
def _nll_losses(
    x: np.ndarray,
    classes: np.ndarray,
    weights: np.ndarray,
    ignored: int,
    losses: np.ndarray,
    sums: np.ndarray,
) -> int:
    """Fills the losses, and the sums of losses and of weights; the place of the first bad target, or -1."""
    for n in range(classes.shape[0]):
        for place in range(classes.shape[1]):
            target = classes[n, place]
            losses[n, place] = 0
            if target == ignored:
                continue
            if target < 0 or target >= x.shape[1]:
                return n * classes.shape[1] + place
            losses[n, place] = -weights[target] * x[n, target, place]
            sums[0] += losses[n, place]
            sums[1] += weights[target]
    return -1


@jit
def _nll_backward(grads: np.ndarray, classes: np.ndarray, weights: np.ndarray, ignored: int, result: np.ndarray) -> int:
    """Fills the gradient; the place of the first bad target, or -1."""
    for n in range(classes.shape[0]):
        for place in range(classes.shape[1]):
            target = classes[n, place]
            if target == ignored:
                continue
            if target < 0 or target >= result.shape[1]:
                return n * classes.shape[1] + place
            result[n, target, place] = -weights[target] * grads[n, place]
    return -1
