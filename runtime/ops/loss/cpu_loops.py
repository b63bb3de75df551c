"""The loops of the negative log-likelihood on (batch, classes, positions), and the check of probabilities.

No weights stand for weights of one; `grads` are one number, or one for each target. Targets that are neither classes
nor ignored, and numbers that are no probabilities, raise an IndexError; the kernel in Python then says which.
"""

import math

import numpy as np

from ...compiler.jit import jit

Array = np.ndarray


@jit
def refuse_outside(x: Array, target: Array, outside: Array) -> None:
    count = 0
    for i in range(x.size):
        count += not (x[i] >= 0 and x[i] <= 1)
    for i in range(target.size):
        count += not (target[i] >= 0 and target[i] <= 1)
    if count > 0:
        raise IndexError
    outside[0] = False


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
