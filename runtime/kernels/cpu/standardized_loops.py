"""The loops of standardising, over arrays (A, C, S) with statistics for C; sums are taken in double precision.

With rows (S > 1) all passes over one channel follow each other, so that it stays in the cache. Columns (S = 1) are
summed side by side.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import jit

_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling

Array = np.ndarray


@jit
def _flat(x: Array) -> Array:
    """Columns (A, C, 1) as (A, C)."""
    return x.reshape(x.shape[0], x.shape[1])


@jit(fastmath=_REORDER)
def _mean(x: Array, c: int) -> float:
    total = 0.0
    for a in range(x.shape[0]):
        row = x[a, c]
        for s in range(row.size):
            total += row[s]
    return total / (x.shape[0] * x.shape[2])


@jit(fastmath=_REORDER)
def _variance(x: Array, c: int, mean: float) -> float:
    total = 0.0
    for a in range(x.shape[0]):
        row = x[a, c]
        for s in range(row.size):
            total += (row[s] - mean) * (row[s] - mean)
    return total / (x.shape[0] * x.shape[2])


@jit
def standardize_rows(
    x: Array,
    scale: Array,
    row_scale: Array,
    shift: Array,
    row_shift: Array,
    eps: float,
    result: Array,
    mean: Array,
    var: Array,
) -> None:
    """((x - mean) / sqrt(var + eps) scale + shift) row_scale + row_shift; fills in mean and var."""
    to = x.dtype.type
    for c in range(x.shape[1]):
        average = _mean(x, c)
        variance = _variance(x, c, average)
        mean[c], var[c] = average, variance
        center, factor, offset = to(average), to(scale[c] / math.sqrt(variance + eps)), shift[c]
        for a in range(x.shape[0]):
            row, out = x[a, c], result[a, c]
            for s in range(row.size):
                out[s] = ((row[s] - center) * factor + offset) * row_scale[s] + row_shift[s]


@jit
def standardize_columns(
    x: Array,
    scale: Array,
    row_scale: Array,
    shift: Array,
    row_shift: Array,
    eps: float,
    result: Array,
    mean: Array,
    var: Array,
) -> None:
    """As `standardize_rows`; there is nothing along a row."""
    rows, out = _flat(x), _flat(result)
    center, spread = np.zeros(scale.size), np.zeros(scale.size)
    for a in range(len(rows)):
        for c in range(center.size):
            center[c] += rows[a, c]
    center /= len(rows)
    for a in range(len(rows)):
        for c in range(center.size):
            spread[c] += (rows[a, c] - center[c]) ** 2
    spread /= len(rows)
    mean[:], var[:] = center, spread
    factor = (scale / np.sqrt(spread + eps)).astype(x.dtype)
    for a in range(len(rows)):
        for c in range(center.size):
            out[a, c] = (rows[a, c] - mean[c]) * factor[c] + shift[c]


@jit(fastmath=_REORDER)
def _sums(grad: Array, x: Array, row_scale: Array, c: int, mean: float) -> tuple[float, float]:
    """The sums of g and of g (x - mean), for g = grad row_scale."""
    total = moment = 0.0
    for a in range(x.shape[0]):
        g, row = grad[a, c], x[a, c]
        for s in range(row.size):
            value = g[s] * row_scale[s]
            total += value
            moment += value * (row[s] - mean)
    return total, moment


@jit
def backward_rows(
    grad: Array,
    x: Array,
    scale: Array,
    row_scale: Array,
    mean: Array,
    var: Array,
    grad_mean: Array,
    grad_var: Array,
    eps: float,
    result: Array,
) -> None:
    """factor grad row_scale + slope (x - mean) + offset, with three numbers for each channel."""
    to, count = x.dtype.type, x.shape[0] * x.shape[2]
    for c in range(x.shape[1]):
        rstd = 1 / math.sqrt(var[c] + eps)
        total, moment = _sums(grad, x, row_scale, c, mean[c])
        factor, center = to(rstd * scale[c]), mean[c]
        slope = to((2 * grad_var[c] - rstd**3 * scale[c] * moment) / count)
        offset = to((grad_mean[c] - rstd * scale[c] * total) / count)
        for a in range(x.shape[0]):
            g, row, out = grad[a, c], x[a, c], result[a, c]
            for s in range(row.size):
                out[s] = factor * g[s] * row_scale[s] + slope * (row[s] - center) + offset


@jit
def backward_columns(
    grad: Array,
    x: Array,
    scale: Array,
    row_scale: Array,
    mean: Array,
    var: Array,
    grad_mean: Array,
    grad_var: Array,
    eps: float,
    result: Array,
) -> None:
    """As `backward_rows`; there is nothing along a row."""
    count = len(x)
    rows, grads, out = _flat(x), _flat(grad), _flat(result)
    total, moment = np.zeros(mean.size), np.zeros(mean.size)
    for a in range(count):
        for c in range(mean.size):
            total[c] += grads[a, c]
            moment[c] += grads[a, c] * (rows[a, c] - mean[c])
    rstd = 1 / np.sqrt(var + eps)
    factor = (rstd * scale).astype(x.dtype)
    slope = ((2 * grad_var - rstd**3 * scale * moment) / count).astype(x.dtype)
    offset = ((grad_mean - rstd * scale * total) / count).astype(x.dtype)
    for a in range(count):
        for c in range(mean.size):
            out[a, c] = factor[c] * grads[a, c] + slope[c] * (rows[a, c] - mean[c]) + offset[c]


@jit
def channel_sums(grad: Array, x: Array, mean: Array, var: Array, eps: float, total: Array) -> None:
    """Per channel the sum of grad (x - mean) / sqrt(var + eps)."""
    for c in range(mean.size):
        rstd, moment = 1 / math.sqrt(var[c] + eps), 0.0
        for a in range(x.shape[0]):
            moment += _moment(grad[a, c], x[a, c], mean[c])
        total[c] = moment * rstd


@jit(fastmath=_REORDER)
def _moment(grad: Array, row: Array, mean: float) -> float:
    total = 0.0
    for s in range(row.size):
        total += grad[s] * (row[s] - mean)
    return total


@jit
def channel_sums_of_columns(grad: Array, x: Array, mean: Array, var: Array, eps: float, total: Array) -> None:
    """As `channel_sums`, for S = 1."""
    rows, grads = _flat(x), _flat(grad)
    for a in range(len(rows)):
        for c in range(mean.size):
            total[c] += grads[a, c] * (rows[a, c] - mean[c])
    total /= np.sqrt(var + eps)


@jit
def row_sums(grad: Array, x: Array, mean: Array, var: Array, eps: float, total: Array) -> None:
    """Per place of a row the sum of grad (x - mean) / sqrt(var + eps) over all rows."""
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            g, row, center = grad[a, c], x[a, c], mean[c]
            rstd = 1 / math.sqrt(var[c] + eps)
            for s in range(row.size):
                total[s] += g[s] * (row[s] - center) * rstd
