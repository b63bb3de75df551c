"""The loops of cross_entropy.py where places follow the classes: x is (batch, classes, places), in column blocks.

The last two arguments are a range of the batch, of which each item has sums of its own.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.scalar import exp, log
from .cpu_cross_entropy_loops import class_weight, note_loss, place_gradient, total_weight

_BLOCK = 256
Array = np.ndarray


@jit
def losses_of_columns(
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
    """As `losses_of_rows`, for x (batch, classes, places)."""
    count, places = x.shape[1], x.shape[2]
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        own = part_of(sums, 3 * n, 3)
        own[0] = own[1] = own[2] = 0
        for start in range(0, places, _BLOCK):
            width = min(_BLOCK, places - start)
            tops, shifts = np.empty(width, x.dtype), np.zeros(width, x.dtype)
            smooth = np.zeros(width if smoothing != 0 else 0)
            _column_sums(x[n], start, weights, tops, shifts, smooth)
            for j in range(width):
                place = n * places + start + j
                target = classes[place]
                if target == ignored:
                    note_loss(losses, kept, reduction, place, 0.0, 0.0)
                    continue
                if target < 0 or target >= count:
                    own[2] = own[2] if own[2] > 0 else place + 1
                    continue
                weight, shift = class_weight(weights, target), float(shifts[j])
                loss = (1 - smoothing) * weight * (shift - (x[n, target, start + j] - tops[j]))
                if smoothing != 0:
                    loss += every * shift - share * smooth[j]
                note_loss(losses, kept, reduction, place, loss, shift + tops[j])
                own[0] += loss
                own[1] += weight


@jit
def _column_sums(x: Array, start: int, weights: Array, tops: Array, shifts: Array, smooth: Array) -> None:
    """Per column the greatest score, log(sum(exp(x - top))), and sum_c w_c (x_c - top) where smooth has room."""
    tops[:] = x[0, start : start + tops.size]
    for c in range(1, x.shape[0]):
        row = x[c, start : start + tops.size]
        for j in range(tops.size):
            tops[j] = row[j] if row[j] > tops[j] else tops[j]
    for c in range(x.shape[0]):
        row, weight = x[c, start : start + tops.size], class_weight(weights, c)
        for j in range(tops.size):
            shifts[j] += exp(row[j] - tops[j])
        for j in range(smooth.size):
            smooth[j] += weight * (row[j] - tops[j])
    for j in range(tops.size):
        shifts[j] = log(shifts[j])


@jit
def losses_of_columns_backward(
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
    """As `losses_of_rows_backward`, for x (batch, classes, places)."""
    to, count, places = x.dtype.type, x.shape[1], x.shape[2]
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        scales, spreads = np.zeros(places, x.dtype), np.zeros(places, x.dtype)
        own, sums = classes[n * places : (n + 1) * places], kept[n * places : (n + 1) * places]
        for j in range(places):
            if own[j] != ignored:
                grad = place_gradient(grads, kept, reduction, n * places + j)
                spreads[j] = grad
                scales[j] = ((1 - smoothing) * class_weight(weights, own[j]) + every) * grad
        for c in range(count):
            row, out = x[n, c], result[n, c]
            even = to(share * class_weight(weights, c))
            for j in range(row.size):
                out[j] = scales[j] * exp(row[j] - sums[j]) - even * spreads[j]
        for j in range(places):
            if own[j] != ignored:
                result[n, own[j], j] -= to((1 - smoothing) * class_weight(weights, own[j]) * spreads[j])
