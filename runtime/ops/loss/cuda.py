"""Losses of class indices on a device, as row programs. `reduction` is 0 (none), 1 (mean) or 2 (sum)."""

from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...device.cuda.index_errors import fault, raise_at_once, word_for
from ...errors import BadIndexError
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch import per_element
from ...kernels.cuda_launch.row_programs import Rows, compute, in_order, over, program, rows_of
from . import cuda_kernels as kernels

Ints = tuple[int, ...]
Maybe = Array | None
INT64 = np.dtype(np.int64)
new = memory.result


def require_unit_interval(input: Array, target: Array) -> Array:
    """Inputs and targets must be in [0, 1]: what is not is noted, and raised when the program waits for the device."""
    message = "binary_cross_entropy(): all elements of {} should be between 0 and 1"
    errors = [fault(RuntimeError, message.format(which)) for which in ("input", "target")]
    arguments = in_order(input).ravel(), in_order(target).ravel(), word_for(input.device), *errors
    per_element.run(kernels.noted_outside, input.size, input.dtype, *arguments)
    raise_at_once(input.device)
    return memory.zeros((), np.dtype(bool), input.device)


def nll_loss(
    input: Array, target: Array, weight: Maybe = None, reduction: int = 1, ignore_index: int = -100
) -> tuple[Array, Array]:
    x, classes, rows = in_order(input), in_order(target), rows_of_scores(input)
    require_classes("nll_loss", classes, rows.along, ignore_index)
    losses, shares = parts_of_loss(x, target, reduction)
    compute(program("nll_loss"), rows, (x, classes, weights(weight, x, rows)), (losses, shares), (ignore_index,))
    return reduced(losses, shares, reduction)


def nll_loss_backward(
    grad_output: Array, target: Array, weight: Maybe, total_weight: Array, input_shape: Ints, reduction: int,
    ignore_index: int,
) -> Array:  # fmt: skip
    result = new(grad_output, tuple(input_shape))
    rows = rows_of_scores(result)
    factors = broadcast_grad(grad_output, total_weight if reduction == 1 else None, target.shape)
    args = (result, factors, in_order(target), weights(weight, result, rows))
    compute(program("nll_row_backward"), rows, args, (result,), (ignore_index,))
    return result


def cross_entropy(
    input: Array, target: Array, weight: Maybe = None, reduction: int = 1, ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[Array, Array]:  # fmt: skip
    x, classes, rows = in_order(input), in_order(target), rows_of_scores(input)
    require_classes("cross_entropy_loss", classes, rows.along, ignore_index)
    saved_state = new(x, (rows.amount + 1,))
    losses, shares = parts_of_loss(x, target, reduction)
    results = losses, saved_state[: rows.amount], shares
    name, numbers = smoothed("cross_entropy", ignore_index, label_smoothing)
    compute(program(name), rows, (x, classes, weights(weight, x, rows)), results, numbers)
    loss, total = reduced(losses, shares, reduction or 2)
    memory.copy(saved_state[rows.amount :], total.reshape(1))
    return (loss if reduction else losses), saved_state


def cross_entropy_backward(
    grad_output: Array, input: Array, target: Array, weight: Maybe, saved_state: Array, reduction: int,
    ignore_index: int, label_smoothing: float,
) -> Array:  # fmt: skip
    x, rows = in_order(input), rows_of_scores(input)
    factors = broadcast_grad(grad_output, saved_state[rows.amount :] if reduction == 1 else None, target.shape)
    result = new(x, x.shape)
    arrays = (x, factors, in_order(target), saved_state[: rows.amount], weights(weight, x, rows))
    name, numbers = smoothed("cross_entropy_backward", ignore_index, label_smoothing)
    compute(program(name), rows, arrays, (result,), numbers)
    return result


def smoothed(name: str, ignored: int, smoothing: float) -> tuple[str, tuple[Any, ...]]:
    return (f"smoothed_{name}", (ignored, float(smoothing))) if smoothing else (name, (ignored,))


def parts_of_loss(x: Array, target: Array, reduction: int) -> tuple[Array, Array]:
    losses = memory.scratch(x, target.shape) if reduction else new(x, target.shape)
    return losses, memory.scratch(x, target.shape)


def rows_of_scores(input: Array) -> Rows:
    shape = input.shape if input.ndim > 1 else (1, *input.shape)
    return rows_of(shape[0], shape[1], prod(shape[2:]))


def weights(weight: Maybe, like: Array, rows: Rows) -> Array:
    if weight is not None:
        return in_order(weight)
    made = memory.scratch(like, (rows.along,))
    memory.fill(made, 1)
    return made


def require_classes(name: str, target: Array, classes: int, ignored: int) -> None:
    """Every target must be a class, or ignored: one that is neither is noted, and raised when the program waits."""
    if target.size:
        text = f"{name}(): Target {{index}} is out of bounds: expected a class in [0, {classes - 1}]"
        note = word_for(target.device), fault(BadIndexError, text)
        per_element.run(kernels.noted, target.size, INT64, target, *note, classes, np.int64(ignored))
        raise_at_once(target.device)


def reduced(losses: Array, shares: Array, reduction: int) -> tuple[Array, Array]:
    if not reduction:
        total = new(losses, ())
        memory.fill(total, 0)
        return losses, total
    dims: Any = tuple(range(losses.ndim))
    outputs = Output("each"), Output("each")
    name = "weighted_mean" if reduction == 1 else "weighted_total"
    loss, total = over(name, (losses, shares), dims, outputs=outputs)
    return loss, total


def broadcast_grad(grad: Array, total: Maybe, shape: Ints) -> Array:
    """The gradient of each target's loss: one for all is repeated, that of a mean divided by the total weight."""
    count = prod(shape)
    single = memory.scratch(grad, (grad.size,))
    if total is None:
        memory.copy(single, in_order(grad).ravel())
    elif grad.size:
        compute(program("row_ratio"), Rows("rows", 1, grad.size, (grad.size,)), (in_order(grad), total), (single,))
    if grad.size == count:
        return single
    return memory.moved(single.with_strides((count,), (0,)))
