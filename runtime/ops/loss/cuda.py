"""Losses of values and of class indices on a device, as row programs. `reduction` is 0 (none), 1 (mean) or 2 (sum)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...cuda import indexed, memory
from ...cuda.array import DeviceArray
from ...cuda.bad_indices import ticket, word_for
from ...cuda.fallback import Fallback
from ...cuda.graphs.captures import here_on
from ...cuda.rows import Rows, compute, in_order, over, program, rows_of
from ...tensor.row_shapes import Output
from . import cpu_cross_entropy
from . import cuda_kernels as kernels

Ints = tuple[int, ...]
Maybe = DeviceArray | None
ROW = (Output("row"),)
INT64 = np.dtype(np.int64)


def mse_loss(input: DeviceArray, target: DeviceArray, reduction: int = 1) -> DeviceArray:
    """(x - target)^2."""
    if not reduction:
        return over("square_differences", (input, target), -1, outputs=ROW)
    divisor = float(input.size) if reduction == 1 else 1.0
    found: DeviceArray = over("squares", (input, target), tuple(range(input.ndim)), divisor)
    return found


def mse_loss_backward(grad_output: DeviceArray, input: DeviceArray, target: DeviceArray, reduction: int) -> DeviceArray:
    """2 (x - target) grad_output."""
    x, t, grad = in_order(input), in_order(target), in_order(grad_output)
    result = new(x, x.shape)
    factor = 1 / max(x.size, 1) if reduction == 1 else 1.0
    name = "mse_slopes_of_one" if grad.size == 1 else "mse_slopes"
    if x.size:
        compute(program(name), rows_of(1, x.size, 1), (x, t, grad), (result,), (factor,))
    return result


def mse_loss_gradients(
    wanted: Sequence[bool], grad: DeviceArray, input: DeviceArray, target: DeviceArray, reduction: int
) -> tuple[Maybe, Maybe]:
    """The gradients of input and target: one is the other's negative."""
    first = mse_loss_backward(grad, input, target, reduction) if wanted[0] else None
    return first, mse_loss_backward(grad, target, input, reduction) if wanted[1] else None


def nll_loss(
    input: DeviceArray, target: DeviceArray, weight: Maybe = None, reduction: int = 1, ignore_index: int = -100
) -> tuple[DeviceArray, DeviceArray]:
    """(loss, total weight of the targets that count), for input (classes,) or (batch, classes, *dims).

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    x, classes, rows = scores(input), in_order(target), rows_of_scores(input)
    require_classes("nll_loss", classes, rows.along, ignore_index)
    losses, shares = new(x, target.shape), new(x, target.shape)
    compute(program("nll_loss"), rows, (x, classes, weights(weight, x, rows)), (losses, shares), (ignore_index,))
    return reduced(losses, shares, reduction)


def nll_loss_backward(
    grad_output: DeviceArray,
    target: DeviceArray,
    weight: Maybe,
    total_weight: DeviceArray,
    input_shape: Ints,
    reduction: int,
    ignore_index: int,
) -> DeviceArray:
    """-weight[t] grad_output at each target class t (over the total weight for a mean), zero elsewhere."""
    result = new(grad_output, tuple(input_shape))
    rows = rows_of_scores(result)
    factors = spread(grad_output, total_weight if reduction == 1 else None, target.shape)
    given = (result, factors, in_order(target), weights(weight, result, rows))
    compute(program("nll_slopes"), rows, given, (result,), (ignore_index,))
    return result


def cross_entropy(
    input: DeviceArray,
    target: DeviceArray,
    weight: Maybe = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> tuple[DeviceArray, DeviceArray]:
    """The loss; and log(sum(exp(x))) of each vector of scores, followed by the total weight.

    Raises:
        IndexError: a target that is neither a class nor ignore_index.
    """
    if label_smoothing:
        given = input, target, weight, reduction, ignore_index, label_smoothing
        found: tuple[DeviceArray, DeviceArray] = Fallback(cpu_cross_entropy.cross_entropy)(*given)
        return found
    x, classes, rows = scores(input), in_order(target), rows_of_scores(input)
    require_classes("cross_entropy_loss", classes, rows.along, ignore_index)
    kept = new(x, (rows.amount + 1,))
    losses, shares = new(x, target.shape), new(x, target.shape)
    made = losses, kept[: rows.amount], shares
    compute(program("cross_entropy"), rows, (x, classes, weights(weight, x, rows)), made, (ignore_index,))
    loss, total = reduced(losses, shares, reduction or 2)
    memory.copy(kept[rows.amount :], total.reshape(1))
    return (loss if reduction else losses), kept


def cross_entropy_backward(
    grad_output: DeviceArray,
    input: DeviceArray,
    target: DeviceArray,
    weight: Maybe,
    kept: DeviceArray,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> DeviceArray:
    """grad w_t (softmax(x) - 1 at the target), over the total weight for a mean."""
    if label_smoothing:
        given = grad_output, input, target, weight, kept, reduction, ignore_index, label_smoothing
        found: DeviceArray = Fallback(cpu_cross_entropy.cross_entropy_backward)(*given)
        return found
    x, rows = scores(input), rows_of_scores(input)
    factors = spread(grad_output, kept[rows.amount :] if reduction == 1 else None, target.shape)
    result = new(x, x.shape)
    arrays = (x, factors, in_order(target), kept[: rows.amount], weights(weight, x, rows))
    compute(program("cross_entropy_backward"), rows, arrays, (result,), (ignore_index,))
    return result


def new(like: DeviceArray, shape: Ints) -> DeviceArray:
    return memory.empty(shape, like.dtype, like.device)


def scores(input: DeviceArray) -> DeviceArray:
    return in_order(input)


def rows_of_scores(input: DeviceArray) -> Rows:
    """The vectors of scores, for input (classes,) or (batch, classes, *dims)."""
    shape = input.shape if input.ndim > 1 else (1, *input.shape)
    return rows_of(shape[0], shape[1], prod(shape[2:]))


def weights(weight: Maybe, like: DeviceArray, rows: Rows) -> DeviceArray:
    if weight is not None:
        return in_order(weight)
    made = new(like, (rows.along,))
    memory.fill(made, 1)
    return made


def require_classes(name: str, target: DeviceArray, classes: int, ignored: int) -> None:
    """Every target must be a class, or ignored: the host waits for the answer; where a graph is recorded, which it
    cannot wait for, the error comes when the program waits for a replay.

    Raises:
        IndexError: one is neither.
    """
    if not target.size:
        return
    if here_on(target.device.index) is not None:
        note = word_for(target.device), ticket(name, 1)
        indexed.run(kernels.noted, target.size, INT64, target, *note, classes, np.int64(ignored))
        return
    outputs = Output("each", "bool"), Output("each", "int64")
    dims = tuple(range(target.ndim))
    bad, first = over("outside", (target.as_read(INT64),), dims, classes, ignored, outputs=outputs)
    if bool(memory.to_host(bad)):
        found = int(memory.to_host(target).reshape(-1)[int(memory.to_host(first))])
        raise IndexError(f"{name}(): Target {found} is out of bounds: expected a class in [0, {classes - 1}]")


def reduced(losses: DeviceArray, shares: DeviceArray, reduction: int) -> tuple[DeviceArray, DeviceArray]:
    """The reduced loss and the total weight; without a reduction the losses and 0."""
    if not reduction:
        total = new(losses, ())
        memory.fill(total, 0)
        return losses, total
    dims: Any = tuple(range(losses.ndim))
    outputs = Output("each"), Output("each")
    name = "weighted_mean" if reduction == 1 else "weighted_total"
    loss, total = over(name, (losses, shares), dims, outputs=outputs)
    return loss, total


def spread(grad: DeviceArray, total: Maybe, shape: Ints) -> DeviceArray:
    """The gradient of each target's loss: one for all is repeated, that of a mean divided by the total weight."""
    count = prod(shape)
    single = new(grad, (grad.size,))
    if total is None:
        memory.copy(single, in_order(grad).ravel())
    elif grad.size:
        compute(program("quotient"), Rows("rows", 1, grad.size, (grad.size,)), (in_order(grad), total), (single,))
    if grad.size == count:
        return single
    seen = DeviceArray(single.address, (count,), single.dtype, single.block, single.device, (0,))
    return memory.copied(seen)
