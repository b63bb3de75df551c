"""The loops of standardising, over arrays (A, C, S) with statistics for C and a table (P, Q) of weights.

All passes over one channel follow each other, so that it stays in the cache, and sums go in blocks of 1024 elements: in
vector lanes within a block, in double precision from block to block. With Q = S every place of a row has a weight of
its own, otherwise S / Q neighbours share one. Columns (S = 1) are in columns_loops.py.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import jit

_REORDER = {"reassoc", "contract", "nsz"}  # the order of a sum is fixed when it is compiled
_BLOCK = 1024
_FLUSH = 64  # rows whose weight gradients are added up before they go into double precision

Array = np.ndarray


@jit(fastmath=_REORDER)
def _sum(row: Array) -> float:
    total = 0.0
    for k in range(0, row.size, _BLOCK):
        block = row[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += block[i]
        total += part
    return total


@jit(fastmath=_REORDER)
def _square_sum(row: Array, center: float) -> float:
    total, middle = 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block = row[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += (block[i] - middle) * (block[i] - middle)
        total += part
    return total


@jit(fastmath=_REORDER)
def _product_sum(grad: Array, row: Array, center: float) -> float:
    """sum_i g_i (x_i - center)."""
    total, middle = 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block, given = row[k : k + _BLOCK], grad[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += given[i] * (block[i] - middle)
        total += part
    return total


@jit(fastmath=_REORDER)
def _weighted_sums(grad: Array, row: Array, weight: Array, center: float) -> tuple[float, float]:
    """sum_i w_i g_i and sum_i w_i g_i (x_i - center)."""
    total, moment, middle = 0.0, 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block, given, scale = row[k : k + _BLOCK], grad[k : k + _BLOCK], weight[k : k + _BLOCK]
        part, other = row.dtype.type(0), row.dtype.type(0)
        for i in range(block.size):
            value = given[i] * scale[i]
            part += value
            other += value * (block[i] - middle)
        total += part
        moment += other
    return total, moment


@jit
def _statistics(x: Array, c: int) -> tuple[float, float]:
    """Mean and variance of a channel: the squares are taken from a center near the mean, and put right for it."""
    count = max(x.shape[0] * x.shape[2], 1)
    total = squares = 0.0
    for a in range(x.shape[0]):
        total += _sum(x[a, c])
    mean = total / count
    center = float(x.dtype.type(mean))
    for a in range(x.shape[0]):
        squares += _square_sum(x[a, c], center)
    return mean, max(squares / count - (mean - center) * (mean - center), 0.0)


@jit
def standardize_rows(
    x: Array, weight: Array, bias: Array, eps: float, result: Array, mean: Array, var: Array
) -> None:
    """(x - mean) / sqrt(var + eps) * weight + bias; fills in mean and var."""
    to, parts = x.dtype.type, weight.shape[1]
    each = x.shape[2] // max(parts, 1)
    for c in range(x.shape[1]):
        average, variance = _statistics(x, c)
        mean[c], var[c] = average, variance
        center, rstd, p = to(average), 1 / math.sqrt(variance + eps), c % weight.shape[0]
        for a in range(x.shape[0]):
            if each > 1:
                for q in range(parts):
                    row, out = x[a, c, q * each : (q + 1) * each], result[a, c, q * each : (q + 1) * each]
                    factor, shift = to(weight[p, q] * rstd), bias[p, q]
                    for s in range(row.size):
                        out[s] = (row[s] - center) * factor + shift
            else:
                _scale(x[a, c], center, to(rstd), weight[p], bias[p], result[a, c])


@jit
def _scale(row: Array, center: float, rstd: float, weight: Array, bias: Array, out: Array) -> None:
    for s in range(row.size):
        out[s] = (row[s] - center) * rstd * weight[s] + bias[s]


@jit
def backward_segments(
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    var: Array,
    grad_mean: Array,
    grad_var: Array,
    eps: float,
    result: Array,
    weight_sums: Array,
    bias_sums: Array,
) -> None:
    """The gradients of x (where result has room) and, added up, of the table, where neighbours share a weight."""
    to, count, parts = x.dtype.type, max(x.shape[0] * x.shape[2], 1), weight.shape[1]
    each = x.shape[2] // max(parts, 1)
    for c in range(x.shape[1]):
        rstd, p, center = 1 / math.sqrt(var[c] + eps), c % weight.shape[0], to(mean[c])
        total = moment = 0.0
        for a in range(x.shape[0]):
            for q in range(parts):
                g, row = grad[a, c, q * each : (q + 1) * each], x[a, c, q * each : (q + 1) * each]
                part, other = _sum(g), _product_sum(g, row, center)
                bias_sums[p, q] += part
                weight_sums[p, q] += other * rstd
                total += part * weight[p, q]
                moment += other * weight[p, q]
        if not result.size:
            continue
        slope, offset = _slopes(rstd, total, moment, count, grad_mean, grad_var, c)
        for a in range(x.shape[0]):
            for q in range(parts):
                g, row = grad[a, c, q * each : (q + 1) * each], x[a, c, q * each : (q + 1) * each]
                out, factor = result[a, c, q * each : (q + 1) * each], to(rstd * weight[p, q])
                _combine(g, row, center, factor, to(slope), to(offset), out)


@jit
def _slopes(
    rstd: float, total: float, moment: float, count: int, grad_mean: Array, grad_var: Array, c: int
) -> tuple[float, float]:
    """What a channel's gradient has of x - mean, and of 1."""
    slope, offset = -(rstd**3) * moment / count, -rstd * total / count
    if grad_var.size:
        slope += 2 * grad_var[c] / count
    if grad_mean.size:
        offset += grad_mean[c] / count
    return slope, offset


@jit
def _combine(g: Array, row: Array, center: float, factor: float, slope: float, offset: float, out: Array) -> None:
    for s in range(row.size):
        out[s] = factor * g[s] + slope * (row[s] - center) + offset


@jit
def backward_rows(
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    var: Array,
    grad_mean: Array,
    grad_var: Array,
    eps: float,
    result: Array,
    weight_sums: Array,
    bias_sums: Array,
) -> None:
    """The same where each place of a row has a weight of its own."""
    to, count = x.dtype.type, max(x.shape[0] * x.shape[2], 1)
    near, tall = np.zeros(weight.shape, x.dtype), np.zeros(weight.shape, x.dtype)
    for c in range(x.shape[1]):
        rstd, p, center = 1 / math.sqrt(var[c] + eps), c % weight.shape[0], to(mean[c])
        total = moment = 0.0
        for a in range(x.shape[0]):
            part, other = _weighted_sums(grad[a, c], x[a, c], weight[p], center)
            total += part
            moment += other
            _collect(grad[a, c], x[a, c], center, to(rstd), near[p], tall[p])
        if c % _FLUSH == _FLUSH - 1 or c == x.shape[1] - 1 or x.shape[0] > 1:
            weight_sums += near
            bias_sums += tall
            near[:] = 0
            tall[:] = 0
        if result.size:
            slope, offset = _slopes(rstd, total, moment, count, grad_mean, grad_var, c)
            for a in range(x.shape[0]):
                _combine_weighted(
                    grad[a, c], x[a, c], weight[p], center, to(rstd), to(slope), to(offset), result[a, c]
                )


@jit
def _collect(g: Array, row: Array, center: float, rstd: float, weight_sums: Array, bias_sums: Array) -> None:
    for s in range(row.size):
        weight_sums[s] += g[s] * ((row[s] - center) * rstd)
        bias_sums[s] += g[s]


@jit
def _combine_weighted(
    g: Array, row: Array, weight: Array, center: float, rstd: float, slope: float, offset: float, out: Array
) -> None:
    for s in range(row.size):
        out[s] = rstd * weight[s] * g[s] + slope * (row[s] - center) + offset
