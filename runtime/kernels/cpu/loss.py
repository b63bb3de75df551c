"""Losses of values against targets of the same shape, reduced in the same loop that computes them.

`reduction` is 0 (none), 1 (mean) or 2 (sum). Weights are broadcast against the values.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..jit import jit
from ..scalar import exp, log, log1p

_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling


def mse_loss(input: np.ndarray, target: np.ndarray, reduction: int = 1) -> np.ndarray:
    """(x - target)^2."""
    if reduction:
        total = _squared_error_sum(_flat(input, input), _flat(target, input))
        return _reduced(total, input, reduction)
    result = _difference(input, target)
    return np.multiply(result, result, out=result)


def mse_loss_backward(grad_output: np.ndarray, input: np.ndarray, target: np.ndarray, reduction: int) -> np.ndarray:
    """2 (x - target) grad_output."""
    result = _difference(input, target)
    result *= 2 * _spread(grad_output, input, reduction)
    return result


def binary_cross_entropy(
    input: np.ndarray, target: np.ndarray, weight: np.ndarray | None = None, reduction: int = 1
) -> np.ndarray:
    """-weight (target log(x) + (1 - target) log(1 - x)), logarithms at least -100.

    Raises:
        RuntimeError: an input or a target outside [0, 1].
    """
    losses = np.empty(input.shape, input.dtype)
    arrays = (_flat(input, input), _flat(target, input), _flat(weight, input))
    fault = _bernoulli_losses(*arrays, losses.reshape(-1))
    if fault:
        where = "input" if fault == 1 else "target"
        raise RuntimeError(f"binary_cross_entropy(): all elements of {where} should be between 0 and 1")
    return _reduced(losses.sum(dtype=np.float64), input, reduction) if reduction else losses


def binary_cross_entropy_backward(
    grad_output: np.ndarray,
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    reduction: int,
) -> np.ndarray:
    """weight (x - target) / max(x (1 - x), 1e-12) grad_output."""
    result = _difference(input, target)
    result /= np.maximum(input * (1 - input), input.dtype.type(1e-12))
    return _scaled(result, grad_output, weight, reduction)


def binary_cross_entropy_with_logits(
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None = None,
    pos_weight: np.ndarray | None = None,
    reduction: int = 1,
) -> np.ndarray:
    """weight (pos_weight target softplus(-x) + (1 - target) softplus(x))."""
    return _logit_map(_logit_losses, input, target, weight, pos_weight, reduction)


def binary_cross_entropy_with_logits_backward(
    grad_output: np.ndarray,
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    pos_weight: np.ndarray | None,
    reduction: int,
) -> np.ndarray:
    """weight ((1 - target) sigmoid(x) - pos_weight target sigmoid(-x)) grad_output."""
    slopes = _logit_map(_logit_slopes, input, target, None, pos_weight, 0)
    return _scaled(slopes, grad_output, weight, reduction)


def _logit_map(
    kernel: Callable[..., None],
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    pos_weight: np.ndarray | None,
    reduction: int,
) -> np.ndarray:
    result = np.empty(input.shape, input.dtype)
    kernel(_flat(input, input), _flat(target, input), _flat(pos_weight, input), result.reshape(-1))
    if weight is not None:
        result *= weight
    return _reduced(result.sum(dtype=np.float64), input, reduction) if reduction else result


def _flat(array: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    """The array in the shape of `like`, as one contiguous line; ones in place of None."""
    if array is None:
        return np.ones(like.size, like.dtype)
    whole = array if array.shape == like.shape else np.broadcast_to(array, like.shape)
    return np.ascontiguousarray(whole).reshape(-1)


def _difference(input: np.ndarray, target: np.ndarray) -> np.ndarray:
    return np.subtract(input, target, out=np.empty(input.shape, input.dtype))


def _reduced(total: float, input: np.ndarray, reduction: int) -> np.ndarray:
    """The sum or the mean; the mean of nothing is NaN."""
    if reduction == 1:
        total = total / input.size if input.size else math.nan
    return np.asarray(total, input.dtype)


def _spread(grad: np.ndarray, input: np.ndarray, reduction: int) -> np.ndarray:
    return grad / grad.dtype.type(max(input.size, 1)) if reduction == 1 else grad


def _scaled(slopes: np.ndarray, grad: np.ndarray, weight: np.ndarray | None, reduction: int) -> np.ndarray:
    slopes *= _spread(grad, slopes, reduction)
    if weight is not None:
        slopes *= weight
    return slopes


@jit(fastmath=_REORDER)
def _squared_error_sum(x: np.ndarray, target: np.ndarray) -> float:
    total = 0.0
    for i in range(x.size):
        difference = x[i] - target[i]
        total += difference * difference
    return total


@jit
def _bernoulli_losses(x: np.ndarray, target: np.ndarray, weight: np.ndarray, result: np.ndarray) -> int:
    """0, or 1 for an input and 2 for a target outside [0, 1]."""
    least = x.dtype.type(-100)
    for i in range(x.size):
        p, t = x[i], target[i]
        if not 0 <= p <= 1:
            return 1
        if not 0 <= t <= 1:
            return 2
        log_p, log_q = max(log(p), least), max(log1p(-p), least)
        result[i] = -weight[i] * (t * log_p + (1 - t) * log_q)
    return 0


@jit
def _logit_losses(x: np.ndarray, target: np.ndarray, pos_weight: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.size):
        tail = log1p(exp(-abs(x[i])))
        negative, positive = tail + max(x[i], 0), tail + max(-x[i], 0)
        result[i] = pos_weight[i] * target[i] * positive + (1 - target[i]) * negative


@jit
def _logit_slopes(x: np.ndarray, target: np.ndarray, pos_weight: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.size):
        tail = exp(-abs(x[i]))
        near, far = 1 / (1 + tail), tail / (1 + tail)
        if x[i] >= 0:
            result[i] = (1 - target[i]) * near - pos_weight[i] * target[i] * far
        else:
            result[i] = (1 - target[i]) * far - pos_weight[i] * target[i] * near
