"""Losses of values against targets of the same shape, reduced in the same loop that computes them.

`reduction` is 0 (none), 1 (mean) or 2 (sum). Weights are broadcast against the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kernels.cpu.sums import CHUNK, sum_of_chunks
from ...pool.parallel_for import by_slices, shared
from . import cpu_loops

Array = np.ndarray
Pair = tuple[Array | None, Array | None]

NO_WEIGHTS = {dtype: np.empty(0, dtype) for dtype in map(np.dtype, (np.float32, np.float64))}


def mse_loss(input: Array, target: Array, reduction: int = 1) -> Array:
    lines = _flat(input), _flat(target)
    if reduction:
        return _reduced(cpu_loops.square_totals, lines, input, reduction)
    result = np.empty(input.shape, input.dtype)
    by_slices(cpu_loops.squares, (*lines, result.reshape(-1)), input.size)
    return result


def mse_loss_backward(grad_output: Array, input: Array, target: Array, reduction: int) -> Array:
    result = np.empty(input.shape, input.dtype)
    lines = _flat(input), _flat(target), _flat(grad_output)
    by_slices(cpu_loops.squares_backward, (*lines, _scale(input, reduction), result.reshape(-1)), input.size)
    return result


def mse_loss_gradients(output_mask: Sequence[bool], grad: Array, input: Array, target: Array, reduction: int) -> Pair:
    first = mse_loss_backward(grad, input, target, reduction) if output_mask[0] else None
    return first, mse_loss_backward(grad, target, input, reduction) if output_mask[1] else None


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
        return _reduced(cpu_loops.bernoulli_totals, (*lines, _weights(weight, input)), input, reduction)
    losses = np.empty(input.shape, input.dtype)
    by_slices(cpu_loops.bernoulli, (*lines, losses.reshape(-1)), input.size)
    return losses if weight is None else losses * weight


def binary_cross_entropy_backward(
    grad_output: Array, input: Array, target: Array, weight: Array | None, reduction: int
) -> Array:
    """weight (x - target) / max(x (1 - x), 1e-12) grad_output."""
    result = np.empty(input.shape, input.dtype)
    by_slices(cpu_loops.bernoulli_backward, (_flat(input), _flat(target), result.reshape(-1)), input.size)
    return _scaled(result, grad_output, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: int = 1
) -> Array:
    """weight (pos_weight target softplus(-x) + (1 - target) softplus(x))."""
    lines = _flat(input), _flat(target), _weights(pos_weight, input)
    if reduction:
        return _reduced(cpu_loops.logistic_totals, (*lines, _weights(weight, input)), input, reduction)
    losses = np.empty(input.shape, input.dtype)
    by_slices(cpu_loops.logistic, (*lines, losses.reshape(-1)), input.size)
    return losses if weight is None else losses * weight


def binary_cross_entropy_with_logits_backward(
    grad_output: Array, input: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: int
) -> Array:
    """weight ((1 - target) sigmoid(x) - pos_weight target sigmoid(-x)) grad_output."""
    result = np.empty(input.shape, input.dtype)
    lines = _flat(input), _flat(target), _weights(pos_weight, input)
    by_slices(cpu_loops.logistic_backward, (*lines, result.reshape(-1)), input.size)
    return _scaled(result, grad_output, weight, reduction)


def _flat(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1)


def _weights(weight: Array | None, like: Array) -> Array:
    """Weights broadcast to the shape of `like` and flattened; no elements for None."""
    if weight is None:
        return NO_WEIGHTS[like.dtype]
    return _flat(weight if weight.shape == like.shape else np.broadcast_to(weight, like.shape))


def _reduced(totals: Any, lines: tuple[Array, ...], input: Array, reduction: int) -> Array:
    """The sum or the mean; the mean of nothing is nan."""
    size = input.size
    sums = np.zeros(-(-size // CHUNK))
    shared(totals, (*lines, sums), size, size, CHUNK)
    total = sum_of_chunks(sums)
    if reduction == 1:
        total = total / size if size else math.nan
    return np.asarray(total, input.dtype)


def _scaled(derivatives: Array, grad_output: Array, weight: Array | None, reduction: int) -> Array:
    args = _flat(grad_output), _scale(derivatives, reduction), _weights(weight, derivatives)
    by_slices(cpu_loops.scale, (derivatives.reshape(-1), *args), derivatives.size)
    return derivatives


def _scale(input: Array, reduction: int) -> float:
    return 1 / max(input.size, 1) if reduction == 1 else 1.0
