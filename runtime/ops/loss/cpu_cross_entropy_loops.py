"""The loops of cross-entropy, as plans call them: over rows of classes, and over columns where dimensions follow them.

An ignored target has no loss and no gradient. No weights stand for weights of one. The last two arguments are the range
of rows, or of items of the batch.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import (
    EXACT_SHIFT,
    beside_infinity,
    copy_run,
    exponential_sum,
    has_infinity,
    infinities,
    is_infinity,
)
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, clear, empty_row, part_of, row_at
from ...kernels.llvm.reduce import range_of
from ...kernels.scalar import exp, log

# One thread adds the losses of BLOCK rows, as `first` of `losses_of_rows` is a multiple of BLOCK. The scratch memory
# `sums` has three float64 for each block of rows, or for each item of the batch: the sum of its losses, that of their
# weights, and 1 + the index of its first target that is no class, or 0. The plan asks for six numbers of x's dtype for
# each: of float32 that is just enough, of float64 twice as much.
BLOCK = 64
COLUMN_BLOCK = 256  # columns whose sums one pass over the classes computes
_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling


@jit
def class_weight(weights: Array, target: int) -> float:
    return weights[target] if weights.size else 1.0


@jit
def total_weight(weights: Array, num_classes: int) -> float:
    if not weights.size:
        return float(num_classes)
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
def _weighted_sum_beside_infinity(row: Array, weights: Array) -> float:
    total = 0.0
    for c in range(row.size):
        weight = class_weight(weights, c)
        total += weight * beside_infinity(row[c]) if weight != 0 else 0.0
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
    x: Array, targets: Array, weights: Array, losses: Array, saved_state: Array, sums: Array, smoothing: float,
    rows: int, num_classes: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    totals = row_at(0.0, address(sums), (rows + BLOCK - 1) // BLOCK * 3)
    share = smoothing / max(num_classes, 1)
    every = share * total_weight(weights, num_classes)
    for n in range(first, last):
        target, own = targets[n], part_of(totals, n // BLOCK * 3, 3)
        if n % BLOCK == 0:
            own[0] = own[1] = own[2] = 0
        if target == ignored:
            note_loss(losses, saved_state, reduction, n, 0.0, saved_state.dtype.type(0))
            continue
        if target < 0 or target >= num_classes:
            own[2] = own[2] if own[2] > 0 else n + 1
            continue
        row = part_of(x, n * num_classes, num_classes)
        low, top = range_of(row)
        infinite = top == np.inf
        shift = float(log(infinities(row) if infinite else exponential_sum(row, low, top)))
        weight = class_weight(weights, target)
        score = beside_infinity(row[target]) if infinite else row[target] - top
        loss = (1 - smoothing) * weight * (shift - score) if weight != 0 else 0.0
        if smoothing != 0:
            all_classes = _weighted_sum_beside_infinity(row, weights) if infinite else _weighted_sum(row, top, weights)
            loss += every * shift - share * all_classes
        note_loss(losses, saved_state, reduction, n, loss, shift + top)
        own[0] += loss
        own[1] += weight


@jit
def target_gradient(grads: Array, saved_state: Array, reduction: int, index: int) -> float:
    grad = float(grads[index] if grads.size > 1 else grads[0])
    return grad / saved_state[-1] if reduction == 1 else grad


@jit
def losses_of_rows_backward(
    grads: Array, x: Array, targets: Array, weights: Array, saved_state: Array, result: Array, smoothing: float,
    rows: int, num_classes: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    """An IndexError if a target is no class any more: its memory may be an array that somebody writes to."""
    to = x.dtype.type
    share = smoothing / max(num_classes, 1)
    every = share * total_weight(weights, num_classes)
    for n in range(first, last):
        start, target = n * num_classes, targets[n]
        row, out = part_of(x, start, num_classes), part_of(result, start, num_classes)
        if target == ignored:
            clear(out)
            continue
        if target < 0 or target >= num_classes:
            raise IndexError
        grad = target_gradient(grads, saved_state, reduction, n)
        direct = (1 - smoothing) * class_weight(weights, target) * grad
        scale, shift, uniform_grad = to(direct + every * grad), saved_state[n], to(share * grad)
        if shift == np.inf:
            scale = scale / infinities(row)
            for c in range(row.size):
                out[c] = scale * is_infinity(row[c])
        else:
            if abs(shift) > EXACT_SHIFT:
                scale = scale / exponential_sum(row, range_of(row)[0], shift)
            for c in range(row.size):
                out[c] = scale * exp(row[c] - shift)
        if smoothing != 0:
            for c in range(row.size):
                out[c] -= uniform_grad * to(class_weight(weights, c))
        out[target] -= to(direct)


@jit
def losses_of_columns(
    x: Array, targets: Array, weights: Array, losses: Array, saved_state: Array, sums: Array, smoothing: float,
    batch: int, num_classes: int, positions: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    totals, zero = row_at(0.0, address(sums), 3 * batch), x.dtype.type(0)
    share = smoothing / max(num_classes, 1)
    every = share * total_weight(weights, num_classes)
    for n in range(first, last):
        own = part_of(totals, 3 * n, 3)
        own[0] = own[1] = own[2] = 0
        for start in range(0, positions, COLUMN_BLOCK):
            width = min(COLUMN_BLOCK, positions - start)
            tops, shifts = empty_row(zero, width), empty_row(zero, width)
            smooth = empty_row(0.0, width if smoothing != 0 else 0)
            item = part_of(x, n * num_classes * positions, num_classes * positions)
            _column_sums(item, positions, start, weights, tops, shifts, smooth)
            for j in range(width):
                index = n * positions + start + j
                target = targets[index]
                if target == ignored:
                    note_loss(losses, saved_state, reduction, index, 0.0, saved_state.dtype.type(0))
                    continue
                if target < 0 or target >= num_classes:
                    own[2] = own[2] if own[2] > 0 else index + 1
                    continue
                weight, shift = class_weight(weights, target), float(shifts[j])
                score = item[target * positions + start + j] - tops[j]
                score = score if score == score else beside_infinity(item[target * positions + start + j])
                loss = (1 - smoothing) * weight * (shift - score) if weight != 0 else 0.0
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
    if has_infinity(tops):
        _column_sums_beside_infinity(x, positions, start, weights, tops, shifts, smooth)
    for j in range(tops.size):
        shifts[j] = log(shifts[j])


@jit
def _column_sums_beside_infinity(
    x: Array, positions: int, start: int, weights: Array, tops: Array, shifts: Array, smooth: Array
) -> None:
    for j in range(tops.size):
        if tops[j] == np.inf:
            column = x[start + j :: positions]
            shifts[j] = infinities(column)
            if smooth.size:
                smooth[j] = _weighted_sum_beside_infinity(column, weights)


@jit
def _column_beside_infinity_backward(
    x: Array, result: Array, first: int, step: int, num_classes: int, weights: Array, pulled: float, even: float
) -> None:
    total = 0.0
    for c in range(num_classes):
        total += is_infinity(x[first + c * step])
    for c in range(num_classes):
        share = is_infinity(x[first + c * step]) / total
        result[first + c * step] = pulled * share - even * class_weight(weights, c)


@jit
def losses_of_columns_backward(
    grads: Array, x: Array, targets: Array, weights: Array, saved_state: Array, result: Array, smoothing: float,
    batch: int, num_classes: int, positions: int, reduction: int, ignored: int, first: int, last: int,
) -> None:  # fmt: skip
    to = x.dtype.type
    share = smoothing / max(num_classes, 1)
    every = share * total_weight(weights, num_classes)
    for n in range(first, last):
        scales, spreads = empty_row(to(0), positions), empty_row(to(0), positions)
        own, log_sums = part_of(targets, n * positions, positions), part_of(saved_state, n * positions, positions)
        clear(scales)
        clear(spreads)
        infinite = False
        for j in range(positions):
            if own[j] != ignored:
                if own[j] < 0 or own[j] >= num_classes:
                    raise IndexError
                grad = target_gradient(grads, saved_state, reduction, n * positions + j)
                spreads[j] = grad
                scales[j] = ((1 - smoothing) * class_weight(weights, own[j]) + every) * grad
                if abs(log_sums[j]) > EXACT_SHIFT:
                    infinite |= log_sums[j] == np.inf
                    total = 0.0
                    for c in range(num_classes):
                        total += exp(x[(n * num_classes + c) * positions + j] - log_sums[j])
                    scales[j] /= total
        for c in range(num_classes):
            at = (n * num_classes + c) * positions
            row, out = part_of(x, at, positions), part_of(result, at, positions)
            even = to(share * class_weight(weights, c))
            for j in range(row.size):
                out[j] = scales[j] * exp(row[j] - log_sums[j]) - even * spreads[j]
        if infinite:
            for j in range(positions):
                if log_sums[j] == np.inf and own[j] != ignored:
                    pulled = ((1 - smoothing) * class_weight(weights, own[j]) + every) * spreads[j]
                    _column_beside_infinity_backward(
                        x, result, n * num_classes * positions + j, positions, num_classes, weights, pulled,
                        share * spreads[j],
                    )  # fmt: skip
        for j in range(positions):
            if own[j] != ignored:
                share_of_target = (1 - smoothing) * class_weight(weights, own[j]) * spreads[j]
                result[(n * num_classes + own[j]) * positions + j] -= to(share_of_target)
