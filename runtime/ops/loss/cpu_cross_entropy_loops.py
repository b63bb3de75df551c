"""The loops of cross-entropy, as plans call them: over rows of classes, and over columns where dimensions follow them.

An ignored target has no loss and no gradient. No weights stand for weights of one. The last two arguments are the range
of rows, or of items of the batch. Sums are kept for each block of BLOCK rows, or for each item, in float64 in memory of
twice as many numbers: (losses, weights, the index of the first target that is no class + 1).
"""

from __future__ import annotations

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_run, exponential_sum
from ...kernels.llvm.addresses import address, clear, empty_row, part_of, row_at
from ...kernels.llvm.reduce import range_of
from ...kernels.scalar import exp, log

BLOCK = 64  # rows whose losses are added by one thread
_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling
Array = np.ndarray


@jit
def class_weight(weights: Array, target: int) -> float:
    return weights[target] if weights.size else 1.0


@jit
def total_weight(weights: Array, classes: int) -> float:
    if not weights.size:
        return float(classes)
    total = weights.dtype.type(0)
    for c in range(weights.size):
        total += weights[c]
    return float(total)


@jit(fastmath=_REORDER)
def _weighted_sum(row: Array, top: float, weights: Array) -> float:
    total = 0.0
    if weights.size:
        for c in range(row.size):
            total += weights[c] * (row[c] - top)
    else:
        for c in range(row.size):
            total += row[c] - top
    return total


@jit
def note_loss(losses: Array, saved_state: Array, reduction: int, index: int, loss: float, log_sum: float) -> None:
    saved_state[index] = log_sum
    if reduction == 0:
        losses[index] = loss


@jit
def finish_losses(losses: Array, saved_state: Array, sums: Array, blocks: int, reduction: int) -> None:
    """The total weight and the reduced loss; an IndexError if a target is no class: the kernel in Python says which."""
    loss, weight, totals = 0.0, 0.0, row_at(0.0, address(sums), 3 * blocks)
    for b in range(0, totals.size, 3):
        if totals[b + 2] > 0:
            raise IndexError
        loss += totals[b]
        weight += totals[b + 1]
    saved_state[-1] = weight
    if reduction != 0:
        losses[0] = loss / weight if reduction == 1 else loss


@jit
def losses_of_rows(
    x: Array, classes: Array, weights: Array, losses: Array, saved_state: Array, sums: Array, smoothing: float,
    rows: int, count: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    totals = row_at(0.0, address(sums), (rows + BLOCK - 1) // BLOCK * 3)
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        target, own = classes[n], part_of(totals, n // BLOCK * 3, 3)
        if n % BLOCK == 0:
            own[0] = own[1] = own[2] = 0
        if target == ignored:
            note_loss(losses, saved_state, reduction, n, 0.0, saved_state.dtype.type(0))
            continue
        if target < 0 or target >= count:
            own[2] = own[2] if own[2] > 0 else n + 1
            continue
        row = part_of(x, n * count, count)
        low, top = range_of(row)
        shift = float(log(exponential_sum(row, low, top)))
        weight = class_weight(weights, target)
        loss = (1 - smoothing) * weight * (shift - (row[target] - top))
        if smoothing != 0:
            loss += every * shift - share * _weighted_sum(row, top, weights)
        note_loss(losses, saved_state, reduction, n, loss, shift + top)
        own[0] += loss
        own[1] += weight


@jit
def target_gradient(grads: Array, saved_state: Array, reduction: int, index: int) -> float:
    grad = float(grads[index] if grads.size > 1 else grads[0])
    return grad / saved_state[-1] if reduction == 1 else grad


@jit
def losses_of_rows_backward(
    grads: Array, x: Array, classes: Array, weights: Array, saved_state: Array, result: Array, smoothing: float,
    rows: int, count: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    """An IndexError if a target is no class any more: its memory may be an array that somebody writes to."""
    to = x.dtype.type
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        row, out, target = part_of(x, n * count, count), part_of(result, n * count, count), classes[n]
        if target == ignored:
            clear(out)
            continue
        if target < 0 or target >= count:
            raise IndexError
        grad = target_gradient(grads, saved_state, reduction, n)
        direct = (1 - smoothing) * class_weight(weights, target) * grad
        scale, shift, uniform_grad = to(direct + every * grad), saved_state[n], to(share * grad)
        for c in range(row.size):
            out[c] = scale * exp(row[c] - shift)
        if smoothing != 0:
            for c in range(row.size):
                out[c] -= uniform_grad * to(class_weight(weights, c))
        out[target] -= to(direct)


_BLOCK = 256


@jit
def losses_of_columns(
    x: Array, classes: Array, weights: Array, losses: Array, saved_state: Array, sums: Array, smoothing: float,
    batch: int, count: int, positions: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    totals, none = row_at(0.0, address(sums), 3 * batch), x.dtype.type(0)
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        own = part_of(totals, 3 * n, 3)
        own[0] = own[1] = own[2] = 0
        for start in range(0, positions, _BLOCK):
            width = min(_BLOCK, positions - start)
            tops, shifts = empty_row(none, width), empty_row(none, width)
            smooth = empty_row(0.0, width if smoothing != 0 else 0)
            item = part_of(x, n * count * positions, count * positions)
            _column_sums(item, positions, start, weights, tops, shifts, smooth)
            for j in range(width):
                index = n * positions + start + j
                target = classes[index]
                if target == ignored:
                    note_loss(losses, saved_state, reduction, index, 0.0, saved_state.dtype.type(0))
                    continue
                if target < 0 or target >= count:
                    own[2] = own[2] if own[2] > 0 else index + 1
                    continue
                weight, shift = class_weight(weights, target), float(shifts[j])
                loss = (1 - smoothing) * weight * (shift - (item[target * positions + start + j] - tops[j]))
                if smoothing != 0:
                    loss += every * shift - share * smooth[j]
                note_loss(losses, saved_state, reduction, index, loss, shift + tops[j])
                own[0] += loss
                own[1] += weight


@jit
def _column_sums(
    x: Array, positions: int, start: int, weights: Array, tops: Array, shifts: Array, smooth: Array
) -> None:
    """Per column the greatest score, log(sum(exp(x - top))), and sum_c w_c (x_c - top) where smooth has room."""
    if not x.size:
        return
    copy_run(x, start, tops, 0, tops.size)
    clear(shifts)
    clear(smooth)
    for c in range(1, x.size // positions):
        row = part_of(x, c * positions + start, tops.size)
        for j in range(tops.size):
            tops[j] = row[j] if row[j] > tops[j] else tops[j]
    for c in range(x.size // positions):
        row, weight = part_of(x, c * positions + start, tops.size), class_weight(weights, c)
        for j in range(tops.size):
            shifts[j] += exp(row[j] - tops[j])
        for j in range(smooth.size):
            smooth[j] += weight * (row[j] - tops[j])
    for j in range(tops.size):
        shifts[j] = log(shifts[j])


@jit
def losses_of_columns_backward(
    grads: Array, x: Array, classes: Array, weights: Array, saved_state: Array, result: Array, smoothing: float,
    batch: int, count: int, positions: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    to = x.dtype.type
    share = smoothing / max(count, 1)
    every = share * total_weight(weights, count)
    for n in range(first, last):
        scales, spreads = empty_row(to(0), positions), empty_row(to(0), positions)
        own, sums = part_of(classes, n * positions, positions), part_of(saved_state, n * positions, positions)
        clear(scales)
        clear(spreads)
        for j in range(positions):
            if own[j] != ignored:
                if own[j] < 0 or own[j] >= count:
                    raise IndexError
                grad = target_gradient(grads, saved_state, reduction, n * positions + j)
                spreads[j] = grad
                scales[j] = ((1 - smoothing) * class_weight(weights, own[j]) + every) * grad
        for c in range(count):
            at = (n * count + c) * positions
            row, out = part_of(x, at, positions), part_of(result, at, positions)
            even = to(share * class_weight(weights, c))
            for j in range(row.size):
                out[j] = scales[j] * exp(row[j] - sums[j]) - even * spreads[j]
        for j in range(positions):
            if own[j] != ignored:
                share_of_target = (1 - smoothing) * class_weight(weights, own[j]) * spreads[j]
                result[(n * count + own[j]) * positions + j] -= to(share_of_target)
