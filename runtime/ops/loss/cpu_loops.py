"""The loops of pointwise losses over flat arrays, and of the negative log-likelihood on (batch, classes, positions).

No weights stand for weights of one; `grads` are one number, or one for each element. Sums are taken of blocks that stay
in the nearest cache, and kept for each chunk, whatever threads compute them. Targets that are neither classes nor
ignored raise an IndexError; the kernel in Python then says which.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.sums import CHUNK, chunk_sum
from ...kernels.llvm.addresses import part_of
from ...kernels.scalar import exp, log, log1p

_BLOCK = 1024
Array = np.ndarray


@jit
def squares(x: Array, target: Array, out: Array) -> None:
    for i in range(out.size):
        away = x[i] - target[i]
        out[i] = away * away


@jit
def _add_block(losses: Array, start: int, sums: Array) -> None:
    chunk = start // CHUNK
    sums[chunk] = chunk_sum(losses) + (sums[chunk] if start % CHUNK else 0.0)


@jit
def square_totals(x: Array, target: Array, sums: Array, first: int, last: int) -> None:
    buffer = np.empty(_BLOCK, x.dtype)
    for k in range(first, last, _BLOCK):
        size = min(_BLOCK, last - k)
        part = part_of(buffer, 0, size)
        squares(part_of(x, k, size), part_of(target, k, size), part)
        _add_block(part, k, sums)


@jit
def squares_backward(x: Array, target: Array, grads: Array, scale: float, out: Array) -> None:
    if grads.size == 1:
        factor = x.dtype.type(2 * scale * grads[0])
        for i in range(out.size):
            out[i] = factor * (x[i] - target[i])
    else:
        twice = x.dtype.type(2 * scale)
        for i in range(out.size):
            out[i] = twice * grads[i] * (x[i] - target[i])


@jit
def outside(values: Array) -> bool:
    result = 0
    for i in range(values.size):
        result += not (values[i] >= 0 and values[i] <= 1)
    return result > 0


@jit
def bernoulli(x: Array, target: Array, out: Array) -> None:
    min_value, one = x.dtype.type(-100), x.dtype.type(1)
    for i in range(out.size):
        yes, no = log(x[i]), log1p(-x[i])
        yes, no = yes if yes > min_value else min_value, no if no > min_value else min_value
        out[i] = -(target[i] * yes + (one - target[i]) * no)


@jit
def bernoulli_totals(x: Array, target: Array, weight: Array, sums: Array, first: int, last: int) -> None:
    buffer = np.empty(_BLOCK, x.dtype)
    for k in range(first, last, _BLOCK):
        size = min(_BLOCK, last - k)
        part = part_of(buffer, 0, size)
        bernoulli(part_of(x, k, size), part_of(target, k, size), part)
        _multiply(part, part_of(weight, k, min(weight.size, size)))
        _add_block(part, k, sums)


@jit
def _multiply(out: Array, weight: Array) -> None:
    for i in range(weight.size):
        out[i] *= weight[i]


@jit
def bernoulli_backward(x: Array, target: Array, out: Array) -> None:
    min_value, one = x.dtype.type(1e-12), x.dtype.type(1)
    for i in range(out.size):
        variance = x[i] * (one - x[i])
        out[i] = (x[i] - target[i]) / (variance if variance > min_value else min_value)


@jit
def logistic(x: Array, target: Array, positive: Array, out: Array) -> None:
    """p t softplus(-x) + (1 - t) softplus(x), where a target of 0 or 1 takes no part of an infinite logit."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    if positive.size:
        for i in range(out.size):
            tail = log1p(exp(-abs(x[i])))
            above, below = tail + (x[i] if x[i] > 0 else zero), tail + (-x[i] if x[i] < 0 else zero)
            yes, no = positive[i] * target[i], one - target[i]
            out[i] = (yes * below if yes != 0 else zero) + (no * above if no != 0 else zero)
    else:
        for i in range(out.size):
            tail = log1p(exp(-abs(x[i])))
            share = one - target[i] if x[i] > 0 else -target[i]
            out[i] = tail + (share * x[i] if share != 0 else zero)


@jit
def logistic_totals(
    x: Array, target: Array, positive: Array, weight: Array, sums: Array, first: int, last: int
) -> None:
    buffer = np.empty(_BLOCK, x.dtype)
    for k in range(first, last, _BLOCK):
        size = min(_BLOCK, last - k)
        part = part_of(buffer, 0, size)
        logistic(part_of(x, k, size), part_of(target, k, size), part_of(positive, k, min(positive.size, size)), part)
        _multiply(part, part_of(weight, k, min(weight.size, size)))
        _add_block(part, k, sums)


@jit
def logistic_backward(x: Array, target: Array, positive: Array, out: Array) -> None:
    one = x.dtype.type(1)
    for i in range(out.size):
        tail = exp(-abs(x[i]))
        probability = one / (one + tail)
        complement = tail * probability
        yes, no = (probability, complement) if x[i] >= 0 else (complement, probability)
        factor = positive[i] if positive.size else one
        out[i] = (one - target[i]) * yes - factor * target[i] * no


@jit
def scale(out: Array, grads: Array, factor: float, weight: Array) -> None:
    number = out.dtype.type(factor * grads[0] if grads.size == 1 else factor)
    if grads.size != 1:
        for i in range(out.size):
            out[i] *= number * grads[i]
    else:
        for i in range(out.size):
            out[i] *= number
    _multiply(out, weight)


@jit
def negative_likelihoods(
    x: Array, target: Array, weight: Array, out: Array, total: Array, batch: int, classes: int, positions: int,
    reduction: int, ignored: int,
) -> None:  # fmt: skip
    """-weight[t] x[t] of each target, or their sum, or that over the sum of weights; and that sum."""
    loss, counted, to = 0.0, 0.0, x.dtype.type
    for n in range(batch):
        for k in range(positions):
            at, own = target[n * positions + k], to(0)
            if at != ignored:
                if at < 0 or at >= classes:
                    raise IndexError
                share = weight[at] if weight.size else to(1)
                own = -share * x[(n * classes + at) * positions + k] if share != 0 else to(0)
                loss += own
                counted += share
            if reduction == 0:
                out[n * positions + k] = own
    if reduction == 1:
        loss = loss / counted if counted else math.nan
    if reduction:
        out[0] = loss
    total[0] = counted if reduction else 0.0


@jit
def negative_likelihoods_backward(
    grads: Array, target: Array, weight: Array, total: Array, out: Array, batch: int, classes: int, positions: int,
    reduction: int, ignored: int,
) -> None:  # fmt: skip
    to, grad = out.dtype.type, grads[0] if grads.size else out.dtype.type(0)
    if reduction == 1:
        grad = grad / total[0] if total[0] else to(math.nan)
    for i in range(out.size):
        out[i] = 0
    for n in range(batch):
        for k in range(positions):
            at = target[n * positions + k]
            if at == ignored:
                continue
            if at < 0 or at >= classes:
                raise IndexError
            share = weight[at] if weight.size else to(1)
            out[(n * classes + at) * positions + k] = -share * (grad if reduction else grads[n * positions + k])
