"""Losses. `reduction` is 0 (none), 1 (mean) or 2 (sum), in the same loop; weights are broadcast against the values.

Cross-entropy of scores x, of a vector's softmax p, class t, weights w of the C classes, and label smoothing e is
(1 - e) w_t (-log p_t) + (e / C) sum_c w_c (-log p_c), its mean over the weights of targets. Forward keeps
log(sum(exp(x))) of each vector, from which backward has p in one pass.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.threads.parallel_for import by_slices, shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Maybe, run
from ...kernels.cpu.sums import CHUNK, sum_of_chunks
from . import cpu_loops, plans

Pair = tuple[Maybe, Maybe]

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
    by_slices(cpu_loops.squares_backward, (*lines, share_of_one(input, reduction), result.reshape(-1)), input.size)
    return result


def mse_loss_gradients(output_mask: Sequence[bool], grad: Array, input: Array, target: Array, reduction: int) -> Pair:
    first = mse_loss_backward(grad, input, target, reduction) if output_mask[0] else None
    return first, mse_loss_backward(grad, target, input, reduction) if output_mask[1] else None


def binary_cross_entropy(input: Array, target: Array, weight: Maybe = None, reduction: int = 1) -> Array:
    lines = _flat(input), _flat(target)
    for name, values in zip(("input", "target"), lines, strict=True):
        if cpu_loops.outside(values):
            raise RuntimeError(f"binary_cross_entropy(): all elements of {name} should be between 0 and 1")
    return _losses(cpu_loops.bernoulli, cpu_loops.bernoulli_totals, lines, weight, input, reduction)


def binary_cross_entropy_backward(
    grad_output: Array, input: Array, target: Array, weight: Maybe, reduction: int
) -> Array:
    result = np.empty(input.shape, input.dtype)
    by_slices(cpu_loops.bernoulli_backward, (_flat(input), _flat(target), result.reshape(-1)), input.size)
    return _scaled(result, grad_output, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Maybe = None, pos_weight: Maybe = None, reduction: int = 1
) -> Array:
    lines = _flat(input), _flat(target), _weights(pos_weight, input)
    return _losses(cpu_loops.logistic, cpu_loops.logistic_totals, lines, weight, input, reduction)


def binary_cross_entropy_with_logits_backward(
    grad_output: Array, input: Array, target: Array, weight: Maybe, pos_weight: Maybe, reduction: int
) -> Array:
    result = np.empty(input.shape, input.dtype)
    lines = _flat(input), _flat(target), _weights(pos_weight, input)
    by_slices(cpu_loops.logistic_backward, (*lines, result.reshape(-1)), input.size)
    return _scaled(result, grad_output, weight, reduction)


def _losses(loop: Any, totals: Any, lines: tuple[Array, ...], weight: Maybe, input: Array, reduction: int) -> Array:
    if reduction:
        return _reduced(totals, (*lines, _weights(weight, input)), input, reduction)
    losses = np.empty(input.shape, input.dtype)
    by_slices(loop, (*lines, losses.reshape(-1)), input.size)
    return losses if weight is None else losses * weight


def _flat(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1)


def _weights(weight: Maybe, like: Array) -> Array:
    """Weights broadcast to the shape of `like` and flattened; no elements for None."""
    if weight is None:
        return NO_WEIGHTS[like.dtype]
    return _flat(weight if weight.shape == like.shape else np.broadcast_to(weight, like.shape))


def _reduced(totals: Any, lines: tuple[Array, ...], input: Array, reduction: int) -> Array:
    size = input.size
    sums = np.zeros(-(-size // CHUNK))
    shared(totals, (*lines, sums), size, size, CHUNK)
    total = sum_of_chunks(sums)
    if reduction == 1:
        total = total / size if size else math.nan
    return np.asarray(total, input.dtype)


def _scaled(derivatives: Array, grad_output: Array, weight: Maybe, reduction: int) -> Array:
    args = _flat(grad_output), share_of_one(derivatives, reduction), _weights(weight, derivatives)
    by_slices(cpu_loops.scale, (derivatives.reshape(-1), *args), derivatives.size)
    return derivatives


def share_of_one(input: Any, reduction: int) -> float:
    return 1 / max(input.size, 1) if reduction == 1 else 1.0


def cross_entropy(
    input: Array, target: Array, weight: Maybe = None, reduction: int = 1, ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Array, Array]:  # fmt: skip
    weights = None if weight is None else contiguous(weight)
    try:
        args = contiguous(input), np.ascontiguousarray(target, np.int64).reshape(target.shape), weights
        losses, saved_state, _ = run(plans.cross_entropy, *args, reduction, ignore_index, label_smoothing)
    except IndexError:
        require_classes(input, target, ignore_index)
        raise
    return losses, saved_state


def require_classes(input: Array, target: Array, ignore_index: int) -> None:
    classes = input.shape[1] if target.ndim else len(input)
    for t in target.flat:
        if t != ignore_index and not 0 <= t < classes:
            raise IndexError(
                f"cross_entropy_loss(): Target {t} is out of bounds: expected a class in [0, {classes - 1}]"
            ) from None


def cross_entropy_backward(
    grad_output: Array, input: Array, target: Array, weight: Maybe, saved_state: Array, reduction: int,
    ignore_index: int, label_smoothing: float,
) -> Array:  # fmt: skip
    """u ((1 - e) w_t (p - 1_t) + (e / C) (p sum_c w_c - w)) with the gradient u of each target's loss."""
    args = contiguous(input), np.ascontiguousarray(target, np.int64).reshape(target.shape)
    weights = None if weight is None else contiguous(weight)
    constants = reduction, ignore_index, label_smoothing
    try:
        return run(plans.cross_entropy_backward, contiguous(grad_output), *args, weights, saved_state, *constants)[0]
    except (IndexError, RuntimeError):  # the second where several threads share the work, and one failed
        require_classes(input, target, ignore_index)
        raise


def nll_loss(
    input: Array, target: Array, weight: Maybe = None, reduction: int = 1, ignore_index: int = -100
) -> tuple[Array, Array]:
    args = np.ascontiguousarray(input), _targets(target), None if weight is None else np.ascontiguousarray(weight)
    try:
        loss, total = run(plans.nll_loss, *args, reduction, ignore_index)
    except IndexError:
        raise _outside(args[1], input.shape, ignore_index) from None
    return loss, total


def nll_loss_backward(
    grad_output: Array, target: Array, weight: Maybe, total_weight: Array, input_shape: tuple[int, ...], reduction: int,
    ignore_index: int,
) -> Array:  # fmt: skip
    classes, weights = _targets(target), None if weight is None else np.ascontiguousarray(weight)
    total = np.asarray(total_weight, grad_output.dtype)  # which is of 16 bits where it is given as it is stored
    args = np.asarray(grad_output, order="C"), classes, weights, total  # of no dimensions it keeps none
    try:
        result: Array = run(plans.nll_loss_backward, *args, input_shape, reduction, ignore_index)[0]
    except IndexError:
        raise _outside(classes, input_shape, ignore_index) from None
    return result


def _targets(target: Array) -> Array:
    return np.ascontiguousarray(target, np.int64).reshape(target.shape)


def _outside(target: Array, shape: tuple[int, ...], ignored: int) -> IndexError:
    count = shape[min(1, len(shape) - 1)]
    wrong = target[((target < 0) | (target >= count)) & (target != ignored)]
    return IndexError(f"nll_loss(): Target {wrong[0]} is out of bounds: expected a class in [0, {count - 1}]")
