"""The loops of standardising, over arrays (A, C, S) with statistics for C and a table (P, Q) of weights.

S / Q neighbours of a row share a weight. All passes over one channel follow each other, so that it stays in the cache.
Rows with a weight for every place are in standardized_rows.py, columns (S = 1) in standardized_columns.py.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.sums import REORDER, plain_sum, square_sum
from ...kernels.jit import jit

_BLOCK = 1024
Array = np.ndarray


@jit(fastmath=REORDER)
def _sums(grad: Array, row: Array, center: float) -> tuple[float, float]:
    """sum_i g_i and sum_i g_i (x_i - center)."""
    total, moment, middle = 0.0, 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block, given = row[k : k + _BLOCK], grad[k : k + _BLOCK]
        part, other = row.dtype.type(0), row.dtype.type(0)
        for i in range(block.size):
            part += given[i]
            other += given[i] * (block[i] - middle)
        total += part
        moment += other
    return total, moment


@jit
def _statistics(x: Array, c: int) -> tuple[float, float]:
    """Mean and variance of a channel; the squares are taken from a center near the mean, and put right for that."""
    count = max(x.shape[0] * x.shape[2], 1)
    total = squares = 0.0
    for a in range(x.shape[0]):
        total += plain_sum(x[a, c])
    mean = total / count
    center = float(x.dtype.type(mean))
    for a in range(x.shape[0]):
        squares += square_sum(x[a, c], center)
    return mean, max(squares / count - (mean - center) * (mean - center), 0.0)


@jit
def standardize_segments(
    x: Array,
    weight: Array,
    bias: Array,
    eps: float,
    result: Array,
    mean: Array,
    var: Array,
    first: int,
    last: int,
) -> None:
    """(x - mean) / sqrt(var + eps) * weight + bias for a range of channels; fills in mean and var."""
    to, parts = x.dtype.type, weight.shape[1]
    each = x.shape[2] // max(parts, 1)
    for c in range(first, last):
        average, variance = _statistics(x, c)
        mean[c], var[c] = average, variance
        center, rstd, p = to(average), 1 / math.sqrt(variance + eps), c % weight.shape[0]
        for a in range(x.shape[0]):
            for q in range(parts):
                row, out = x[a, c, q * each : (q + 1) * each], result[a, c, q * each : (q + 1) * each]
                factor, shift = to(weight[p, q] * rstd), bias[p, q]
                for s in range(row.size):
                    out[s] = (row[s] - center) * factor + shift


@jit
def backward_segments(
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    var: Array,
    eps: float,
    result: Array,
    weight_grad: Array,
    bias_grad: Array,
    first: int,
    last: int,
) -> None:
    """The gradients of x and of the tables, for the channels c with first <= c % P < last."""
    to, count, parts = x.dtype.type, max(x.shape[0] * x.shape[2], 1), weight.shape[1]
    each = x.shape[2] // max(parts, 1)
    weight_sums, bias_sums = np.zeros(weight.shape), np.zeros(weight.shape)
    for c in range(x.shape[1]):
        rstd, p, center = 1 / math.sqrt(var[c] + eps), c % weight.shape[0], to(mean[c])
        if p < first or p >= last:
            continue
        total = moment = 0.0
        for a in range(x.shape[0]):
            for q in range(parts):
                g, row = grad[a, c, q * each : (q + 1) * each], x[a, c, q * each : (q + 1) * each]
                part, other = _sums(g, row, center)
                bias_sums[p, q] += part
                weight_sums[p, q] += other * rstd
                total += part * weight[p, q]
                moment += other * weight[p, q]
        along, constant = to(-(rstd**3) * moment / count), to(-rstd * total / count)
        for a in range(x.shape[0]):
            for q in range(parts):
                g, row = grad[a, c, q * each : (q + 1) * each], x[a, c, q * each : (q + 1) * each]
                out, factor = result[a, c, q * each : (q + 1) * each], to(rstd * weight[p, q])
                for s in range(row.size):
                    out[s] = factor * g[s] + along * (row[s] - center) + constant
    weight_grad[first:last], bias_grad[first:last] = weight_sums[first:last], bias_sums[first:last]
