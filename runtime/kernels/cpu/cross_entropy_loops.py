"""The loops of cross_entropy.py: over rows of classes, and over blocks of columns where places follow the classes.

A place that is ignored has no loss and no slope. No weights stand for weights of one.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..scalar import exp, log
from .ordering import greatest

_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling
_BLOCK = 256
Array = np.ndarray


@jit
def _weight(weights: Array, target: int) -> float:
    return weights[target] if weights.size else 1.0


@jit
def _total(weights: Array, classes: int) -> float:
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
def _note(losses: Array, kept: Array, reduction: int, place: int, loss: float, log_sum: float) -> None:
    kept[place] = log_sum
    if reduction == 0:
        losses[place] = loss


@jit
def _finish(losses: Array, kept: Array, reduction: int, loss: float, weight: float) -> None:
    kept[-1] = weight
    if reduction != 0:
        losses[0] = loss / weight if reduction == 1 else loss


@jit
def losses_of_rows(
    x: Array, classes: Array, weights: Array, reduction: int, ignored: int, smoothing: float, losses: Array, kept: Array
) -> int:
    """Fills the losses, or their one number, and what backward needs; the place of a target that is no class, or -1."""
    count = x.shape[1]
    share = smoothing / max(count, 1)
    every = share * _total(weights, count)
    loss_sum = weight_sum = 0.0
    for n in range(classes.size):
        target = classes[n]
        if target == ignored:
            _note(losses, kept, reduction, n, 0.0, 0.0)
            continue
        if target < 0 or target >= count:
            return n
        row = x[n]
        top = greatest(row)
        shift = float(log(_exponentials(row, top)))
        weight = _weight(weights, target)
        loss = (1 - smoothing) * weight * (shift - (row[target] - top))
        if smoothing != 0:
            loss += every * shift - share * _weighted_sum(row, top, weights)
        _note(losses, kept, reduction, n, loss, shift + top)
        loss_sum += loss
        weight_sum += weight
    _finish(losses, kept, reduction, loss_sum, weight_sum)
    return -1


@jit
def losses_of_columns(
    x: Array, classes: Array, weights: Array, reduction: int, ignored: int, smoothing: float, losses: Array, kept: Array
) -> int:
    """As `losses_of_rows`, for x (batch, classes, places)."""
    count, places = x.shape[1], x.shape[2]
    share = smoothing / max(count, 1)
    every = share * _total(weights, count)
    loss_sum = weight_sum = 0.0
    for n in range(x.shape[0]):
        for start in range(0, places, _BLOCK):
            width = min(_BLOCK, places - start)
            tops, shifts = np.empty(width, x.dtype), np.zeros(width, x.dtype)
            smooth = np.zeros(width if smoothing != 0 else 0)
            _column_sums(x[n], start, weights, tops, shifts, smooth)
            for j in range(width):
                place = n * places + start + j
                target = classes[place]
                if target == ignored:
                    _note(losses, kept, reduction, place, 0.0, 0.0)
                    continue
                if target < 0 or target >= count:
                    return place
                weight, shift = _weight(weights, target), float(shifts[j])
                loss = (1 - smoothing) * weight * (shift - (x[n, target, start + j] - tops[j]))
                if smoothing != 0:
                    loss += every * shift - share * smooth[j]
                _note(losses, kept, reduction, place, loss, shift + tops[j])
                loss_sum += loss
                weight_sum += weight
    _finish(losses, kept, reduction, loss_sum, weight_sum)
    return -1


@jit
def _column_sums(x: Array, start: int, weights: Array, tops: Array, shifts: Array, smooth: Array) -> None:
    """Per column the greatest score, log(sum(exp(x - top))), and sum_c w_c (x_c - top) where smooth has room."""
    tops[:] = x[0, start : start + tops.size]
    for c in range(1, x.shape[0]):
        row = x[c, start : start + tops.size]
        for j in range(tops.size):
            tops[j] = row[j] if row[j] > tops[j] else tops[j]
    for c in range(x.shape[0]):
        row, weight = x[c, start : start + tops.size], _weight(weights, c)
        for j in range(tops.size):
            shifts[j] += exp(row[j] - tops[j])
        for j in range(smooth.size):
            smooth[j] += weight * (row[j] - tops[j])
    for j in range(tops.size):
        shifts[j] = log(shifts[j])


@jit
def _grad(grads: Array, kept: Array, reduction: int, place: int) -> float:
    """The gradient of the loss of a place; `grads` are one number, or one for each place."""
    grad = float(grads[place] if grads.size > 1 else grads[0])
    return grad / kept[-1] if reduction == 1 else grad


@jit
def slopes_of_rows(
    x: Array,
    classes: Array,
    weights: Array,
    kept: Array,
    grads: Array,
    reduction: int,
    ignored: int,
    smoothing: float,
    result: Array,
) -> None:
    """Fills the gradient: a p of each row, less what its target and the smoothing take off."""
    to, count = x.dtype.type, x.shape[1]
    share = smoothing / max(count, 1)
    every = share * _total(weights, count)
    for n in range(classes.size):
        row, out, target = x[n], result[n], classes[n]
        if target == ignored:
            out[:] = 0
            continue
        grad = _grad(grads, kept, reduction, n)
        direct = (1 - smoothing) * _weight(weights, target) * grad
        scale, shift, spread = to(direct + every * grad), kept[n], to(share * grad)
        for c in range(row.size):
            out[c] = scale * exp(row[c] - shift)
        if smoothing != 0:
            for c in range(row.size):
                out[c] -= spread * to(_weight(weights, c))
        out[target] -= to(direct)


@jit
def slopes_of_columns(
    x: Array,
    classes: Array,
    weights: Array,
    kept: Array,
    grads: Array,
    reduction: int,
    ignored: int,
    smoothing: float,
    result: Array,
) -> None:
    """As `slopes_of_rows`, for x (batch, classes, places)."""
    to, count, places = x.dtype.type, x.shape[1], x.shape[2]
    share = smoothing / max(count, 1)
    every = share * _total(weights, count)
    for n in range(x.shape[0]):
        scales, spreads = np.zeros(places, x.dtype), np.zeros(places, x.dtype)
        own, sums = classes[n * places : (n + 1) * places], kept[n * places : (n + 1) * places]
        for j in range(places):
            if own[j] != ignored:
                grad = _grad(grads, kept, reduction, n * places + j)
                spreads[j] = grad
                scales[j] = ((1 - smoothing) * _weight(weights, own[j]) + every) * grad
        for c in range(count):
            row, out = x[n, c], result[n, c]
            even = to(share * _weight(weights, c))
            for j in range(row.size):
                out[j] = scales[j] * exp(row[j] - sums[j]) - even * spreads[j]
        for j in range(places):
            if own[j] != ignored:
                result[n, own[j], j] -= to((1 - smoothing) * _weight(weights, own[j]) * spreads[j])
