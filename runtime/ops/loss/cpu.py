"""Losses of class indices. `reduction` is 0 (none), 1 (mean) or 2 (sum), in the same loop.

Cross-entropy of scores x, of a vector's softmax p, class t, weights w of the C classes, and label smoothing e is
(1 - e) w_t (-log p_t) + (e / C) sum_c w_c (-log p_c), its mean over the weights of targets. Forward keeps
log(sum(exp(x))) of each vector, from which backward has p in one pass.
"""

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Maybe, run
from . import plans


def require_unit_interval(input: Array, target: Array) -> Array:
    """An error where a number is not between 0 and 1."""
    try:
        result: Array = run(plans.require_unit_interval, contiguous(input), contiguous(target))[0]
    except IndexError:
        name = "target" if ((input >= 0) & (input <= 1)).all() else "input"
        raise RuntimeError(f"require_unit_interval(): all elements of {name} should be between 0 and 1") from None
    return result


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
