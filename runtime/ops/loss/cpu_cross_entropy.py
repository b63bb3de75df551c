"""The cross-entropy of scores and class indices, without the log-probabilities in between.

With p the softmax of a vector x of scores, t its class, w the weights of the C classes and e the label smoothing,
the loss is (1 - e) w_t (-log p_t) + (e / C) sum_c w_c (-log p_c). Forward keeps log(sum(exp(x))) of each vector, from
which backward has p in one pass. `reduction` is 0 (none), 1 (mean, over the weights of the targets) or 2 (sum).
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import run
from . import plans

Array = np.ndarray


def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Array, Array]:
    """The loss; and log(sum(exp(x))) of each vector of scores, followed by the total weight.

    Args:
        input: (classes,) or (batch, classes, *dims).
        target: (), or (batch, *dims).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
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
    grad_output: Array,
    input: Array,
    target: Array,
    weight: Array | None,
    saved_state: Array,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Array:
    """u ((1 - e) w_t (p - 1_t) + (e / C) (p sum_c w_c - w)) with the gradient u of each target's loss.

    Raises:
        IndexError: a target that is neither a class nor ignore_index any more.
    """
    args = contiguous(input), np.ascontiguousarray(target, np.int64).reshape(target.shape)
    weights = None if weight is None else contiguous(weight)
    constants = reduction, ignore_index, label_smoothing
    try:
        return run(plans.cross_entropy_backward, contiguous(grad_output), *args, weights, saved_state, *constants)[0]
    except (IndexError, RuntimeError):  # the second where several threads share the work, and one failed
        require_classes(input, target, ignore_index)
        raise
