"""Losses of values against targets of the same shape, reduced in the same loop that computes them.

`reduction` is 0 (none), 1 (mean) or 2 (sum). Weights are broadcast against the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from . import cpu_loops

Array = np.ndarray
Pair = tuple[Array | None, Array | None]

NO_WEIGHTS = {dtype: np.empty(0, dtype) for dtype in map(np.dtype, (np.float32, np.float64))}


def mse_loss(input: Array, target: Array, reduction: int = 1) -> Array:
    """(x - target)^2."""
    lines = _flat(input), _flat(target)
    if reduction:
        return _reduced(cpu_loops.square_total(*lines), input, reduction)
    result = np.empty(input.shape, input.dtype)
    cpu_loops.squares(*lines, result.reshape(-1))
    return result


def mse_loss_backward(grad_output: Array, input: Array, target: Array, reduction: int) -> Array:
    """2 (x - target) grad_output."""
    result = np.empty(input.shape, input.dtype)
    scale = _scale(input, reduction)
    cpu_loops.squares_backward(_flat(input), _flat(target), _flat(grad_output), scale, result.reshape(-1))
    return result


def mse_loss_gradients(wanted: Sequence[bool], grad: Array, input: Array, target: Array, reduction: int) -> Pair:
    """The gradients of input and target: one is the other's negative."""
    first = mse_loss_backward(grad, input, target, reduction) if wanted[0] else None
    return first, mse_loss_backward(grad, target, input, reduction) if wanted[1] else None


def binary_cross_entropy(input: Array, target: Array, weight: Array | None = None, reduction: int = 1) -> Array:
    """-weight (target log(x) + (1 - target) log(1 - x)), logarithms at least -100.

    Raises:
        RuntimeError: an input or a target outside [0, 1].
    """
    lines = _flat(input), _flat(target)
    for name, values in zip(("input", "target"), lines, strict=True):
        if cpu_loops.outside(values):
            raise RuntimeError(f"binary_cross_entropy(): all elements of {name} should be between 0 and 1")
    if reduction:
        return _reduced(cpu_loops.bernoulli_total(*lines, _weights(weight, input)), input, reduction)
    losses = np.empty(input.shape, input.dtype)
    cpu_loops.bernoulli(*lines, losses.reshape(-1))
    return losses if weight is None else losses * weight


def binary_cross_entropy_backward(
    grad_output: Array, input: Array, target: Array, weight: Array | None, reduction: int
) -> Array:
    """weight (x - target) / max(x (1 - x), 1e-12) grad_output."""
    result = np.empty(input.shape, input.dtype)
    cpu_loops.bernoulli_backward(_flat(input), _flat(target), result.reshape(-1))
    cpu_loops.scale(result.reshape(-1), _flat(grad_output), _scale(input, reduction), _weights(weight, input))
    return result


def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: int = 1
) -> Array:
    """weight (pos_weight target softplus(-x) + (1 - target) softplus(x))."""
    lines = _flat(input), _flat(target), _weights(pos_weight, input)
    if reduction:
        return _reduced(cpu_loops.logistic_total(*lines, _weights(weight, input)), input, reduction)
    losses = np.empty(input.shape, input.dtype)
    cpu_loops.logistic(*lines, losses.reshape(-1))
    return losses if weight is None else losses * weight


def binary_cross_entropy_with_logits_backward(
    grad_output: Array, input: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: int
) -> Array:
    """weight ((1 - target) sigmoid(x) - pos_weight target sigmoid(-x)) grad_output."""
    result = np.empty(input.shape, input.dtype)
    cpu_loops.logistic_backward(_flat(input), _flat(target), _weights(pos_weight, input), result.reshape(-1))
    cpu_loops.scale(result.reshape(-1), _flat(grad_output), _scale(input, reduction), _weights(weight, input))
    return result


def _flat(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1)


def _weights(weight: Array | None, like: Array) -> Array:
    """Weights broadcast to the shape of `like` and flattened; no elements for None."""
    if weight is None:
        return NO_WEIGHTS[like.dtype]
    return _flat(weight if weight.shape == like.shape else np.broadcast_to(weight, like.shape))


def _reduced(total: float, input: Array, reduction: int) -> Array:
    """The sum or the mean; the mean of nothing is nan."""
    if reduction == 1:
        total = total / input.size if input.size else math.nan
    return np.asarray(total, input.dtype)


def _scale(input: Array, reduction: int) -> float:
    """The derivative of the reduced loss by the loss of one element."""
    return 1 / max(input.size, 1) if reduction == 1 else 1.0
