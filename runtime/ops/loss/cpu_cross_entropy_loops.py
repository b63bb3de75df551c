"""The loops of cross_entropy.py over rows of classes; those over columns are in cross_entropy_columns.py.

A place that is ignored has no loss and no slope. No weights stand for weights of one. The last two arguments are the
range of rows, which begins at a multiple of BLOCK; each block has sums of its own: (losses, weights, the first place
whose target is no class + 1).
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.float_keys import greatest
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.scalar import exp, log

BLOCK = 64  # rows whose losses are added by one thread
_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling
Array = np.ndarray


@jit
def class_weight(weights: Array, target: int) -> float:
    """The weight of a class."""
    return weights[target] if weights.size else 1.0


@jit
def total_weight(weights: Array, classes: int) -> float:
    """The sum of all weights."""
    return weights.sum() if weights.size else float(classes)


@jit(fastmath=_REORDER)
def _weighted_sum(row: Array, top: float, weights: Array) -> float:
    """sum_c w_c (x_c - top)."""
    total = 0.0
    if weights.size:
        for c in range(row.size):
            total += weights[c] * (row[c] - top)
    else:
        for c in range(row.size):
            total += row[c] - top
    return total


@jit(fastmath=_REORDER)
def _exponentials(row: Array, top: float) -> float:
    """sum_c exp(x_c - top)."""
    total, start = row.dtype.type(0), row.dtype.type(top)
    for c in range(row.size):
        total += exp(row[c] - start)
    return total


@jit
def note_loss(losses: Array, kept: Array, reduction: int, place: int, loss: float, log_sum: float) -> None:
    """Keeps what a place has: its log-sum-exp, and its loss where that is asked for."""
    kept[place] = log_sum
    if reduction == 0:
        losses[place] = loss


@jit
def finish_losses(losses: Array, kept: Array, reduction: int, sums: Array) -> int:
    """Keeps the total weight, and the reduced loss; the first place of a target that is no class, or -1."""
    loss = weight = 0.0
    for b in range(0, sums.size, 3):
        if sums[b + 2] > 0:
            return int(sums[b + 2]) - 1
        loss += sums[b]
        weight += sums[b + 1]
    kept[-1] = weight
    if reduction != 0:
        losses[0] = loss / weight if reduction == 1 else loss
    return -1


@jit
def losses_of_rows(
    x: Array,
    classes: Array,
    weights: Array,
    reduction: int,
    ignored: int,
    smoothing: float,
    losses: Array,
    kept: Array,
    sums: Array,
    first: int,
    last: int,
) -> None:
    """Fills the losses, what backward needs, and the sums of blocks."""
    count = x.shape[1]
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        target, own = classes[n], part_of(sums, n // BLOCK * 3, 3)
        if n % BLOCK == 0:
            own[0] = own[1] = own[2] = 0
        if target == ignored:
            note_loss(losses, kept, reduction, n, 0.0, 0.0)
            continue
        if target < 0 or target >= count:
            own[2] = own[2] if own[2] > 0 else n + 1
            continue
        row = part_of(x, n * count, count)
        top = greatest(row)
        shift = float(log(_exponentials(row, top)))
        weight = class_weight(weights, target)
        loss = (1 - smoothing) * weight * (shift - (row[target] - top))
        if smoothing != 0:
            loss += every * shift - share * _weighted_sum(row, top, weights)
        note_loss(losses, kept, reduction, n, loss, shift + top)
        own[0] += loss
        own[1] += weight


@jit
def place_gradient(grads: Array, kept: Array, reduction: int, place: int) -> float:
    """The gradient of the loss of a place; `grads` are one number, or one for each place."""
    grad = float(grads[place] if grads.size > 1 else grads[0])
    return grad / kept[-1] if reduction == 1 else grad


@jit
def losses_of_rows_backward(
    x: Array,
    classes: Array,
    weights: Array,
    kept: Array,
    grads: Array,
    reduction: int,
    ignored: int,
    smoothing: float,
    result: Array,
    first: int,
    last: int,
) -> None:
    """Fills the gradient: a p of each row, less what its target and the smoothing take off."""
    to, count = x.dtype.type, x.shape[1]
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        row, out, target = part_of(x, n * count, count), part_of(result, n * count, count), classes[n]
        if target == ignored:
            out[:] = 0
            continue
        grad = place_gradient(grads, kept, reduction, n)
        direct = (1 - smoothing) * class_weight(weights, target) * grad
        scale, shift, spread = to(direct + every * grad), kept[n], to(share * grad)
        for c in range(row.size):
            out[c] = scale * exp(row[c] - shift)
        if smoothing != 0:
            for c in range(row.size):
                out[c] -= spread * to(class_weight(weights, c))
        out[target] -= to(direct)
