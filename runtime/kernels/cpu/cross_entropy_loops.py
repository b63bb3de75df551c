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
    total, start = row[0] * 0, row.dtype.type(top)
    for c in range(row.size):
        total += exp(row[c] - start)
    return total


@jit
def losses_of_rows(
    x: Array, classes: Array, weights: Array, ignored: int, smoothing: float, losses: Array, log_sums: Array, sums: Array
) -> int:
    """Fills the losses, log-sum-exps, and the sums of losses and of weights; the place of a bad target, or -1."""
    count = x.shape[1]
    share = smoothing / max(count, 1)
    every = share * _total(weights, count)
    loss_sum = weight_sum = 0.0
    for n in range(x.shape[0]):
        losses[n, 0] = log_sums[n, 0] = 0
        target = classes[n, 0]
        if target == ignored:
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
        losses[n, 0], log_sums[n, 0] = loss, shift + top
        loss_sum += loss
        weight_sum += weight
    sums[0], sums[1] = loss_sum, weight_sum
    return -1


@jit
def losses_of_columns(
    x: Array, classes: Array, weights: Array, ignored: int, smoothing: float, losses: Array, log_sums: Array, sums: Array
) -> int:
    """As `losses_of_rows`, for x (batch, classes, places)."""
    count = x.shape[1]
    share = smoothing / max(count, 1)
    every = share * _total(weights, count)
    loss_sum = weight_sum = 0.0
    for n in range(x.shape[0]):
        for start in range(0, x.shape[2], _BLOCK):
            width = min(_BLOCK, x.shape[2] - start)
            tops, shifts = np.empty(width, x.dtype), np.zeros(width, x.dtype)
            smooth = np.zeros(width if smoothing != 0 else 0)
            _column_sums(x[n], start, weights, tops, shifts, smooth)
            for j in range(width):
                place = start + j
                losses[n, place] = log_sums[n, place] = 0
                target = classes[n, place]
                if target == ignored:
                    continue
                if target < 0 or target >= count:
                    return n * x.shape[2] + place
                weight = _weight(weights, target)
                shift = float(shifts[j])
                loss = (1 - smoothing) * weight * (shift - (x[n, target, place] - tops[j]))
                if smoothing != 0:
                    loss += every * shift - share * smooth[j]
                losses[n, place], log_sums[n, place] = loss, shift + tops[j]
                loss_sum += loss
                weight_sum += weight
    sums[0], sums[1] = loss_sum, weight_sum
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
def slopes_of_rows(
    x: Array,
    classes: Array,
    weights: Array,
    log_sums: Array,
    grads: Array,
    unit: float,
    ignored: int,
    smoothing: float,
    result: Array,
) -> None:
    """Fills the gradient: a p of each row, less what its target and the smoothing take off; grads one or one a row."""
    to = x.dtype.type
    share = smoothing / max(x.shape[1], 1)
    every = share * _total(weights, x.shape[1])
    for n in range(x.shape[0]):
        row, out, target = x[n], result[n], classes[n, 0]
        if target == ignored:
            out[:] = 0
            continue
        grad = unit * (grads[n] if grads.size > 1 else grads[0])
        direct = (1 - smoothing) * _weight(weights, target) * grad
        scale, shift, spread = to(direct + every * grad), log_sums[n, 0], to(share * grad)
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
    log_sums: Array,
    grads: Array,
    unit: float,
    ignored: int,
    smoothing: float,
    result: Array,
) -> None:
    """As `slopes_of_rows`, for x (batch, classes, places)."""
    to, places = x.dtype.type, x.shape[2]
    share = smoothing / max(x.shape[1], 1)
    every = share * _total(weights, x.shape[1])
    for n in range(x.shape[0]):
        scales, spreads = np.zeros(places, x.dtype), np.zeros(places, x.dtype)
        for j in range(places):
            if classes[n, j] != ignored:
                grad = unit * (grads[n * places + j] if grads.size > 1 else grads[0])
                spreads[j] = grad
                scales[j] = ((1 - smoothing) * _weight(weights, classes[n, j]) + every) * grad
        for c in range(x.shape[1]):
            row, out, sums = x[n, c], result[n, c], log_sums[n]
            even = to(share * _weight(weights, c))
            for j in range(row.size):
                out[j] = scales[j] * exp(row[j] - sums[j]) - even * spreads[j]
        for j in range(places):
            target = classes[n, j]
            if target != ignored:
                result[n, target, j] -= to((1 - smoothing) * _weight(weights, target) * spreads[j])
