"""The negative log-likelihood loss of class indices. `reduction` is 0 (none), 1 (mean) or 2 (sum)."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.plan import run
from . import plans_nll

Array = np.ndarray


def nll_loss(
    input: Array, target: Array, weight: Array | None = None, reduction: int = 1, ignore_index: int = -100
) -> tuple[Array, Array]:
    """(loss, total weight of the targets that count), for input (classes,) or (batch, classes, *dims).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    args = np.ascontiguousarray(input), _targets(target), None if weight is None else np.ascontiguousarray(weight)
    try:
        loss, total = run(plans_nll.nll_loss, *args, reduction, ignore_index)
    except IndexError:
        raise _outside(args[1], input.shape, ignore_index) from None
    return loss, total


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
    classes, weights = _targets(target), None if weight is None else np.ascontiguousarray(weight)
    total = np.asarray(total_weight, grad_output.dtype)  # which is of 16 bits where it is given as it is stored
    args = np.asarray(grad_output, order="C"), classes, weights, total  # of no dimensions it keeps none
    try:
        result: Array = run(plans_nll.nll_loss_backward, *args, input_shape, reduction, ignore_index)[0]
    except IndexError:
        raise _outside(classes, input_shape, ignore_index) from None
    return result


def _targets(target: Array) -> Array:
    return np.ascontiguousarray(target, np.int64).reshape(target.shape)


def _outside(target: Array, shape: tuple[int, ...], ignored: int) -> IndexError:
    """The error for the first target that is no class."""
    count = shape[min(1, len(shape) - 1)]
    wrong = target[((target < 0) | (target >= count)) & (target != ignored)]
    return IndexError(f"nll_loss(): Target {wrong[0]} is out of bounds: expected a class in [0, {count - 1}]")
