"""Standardising rows, each with statistics of its own and a weight for every place, as layer norm does: arrays (C, S).

Sums go in blocks of 1024 elements: in vector lanes within a block, in double precision from block to block.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import jit

REORDER = {"reassoc", "contract", "nsz"}  # the order of a sum is fixed when it is compiled
_BLOCK = 1024
_FLUSH = 64  # rows whose weight gradients are added up before they go into double precision

Array = np.ndarray


@jit(fastmath=REORDER)
def plain_sum(row: Array) -> float:
    """sum_i x_i."""
    total = 0.0
    for k in range(0, row.size, _BLOCK):
        block = row[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += block[i]
        total += part
    return total


@jit(fastmath=REORDER)
def square_sum(row: Array, center: float) -> float:
    """sum_i (x_i - center)^2."""
    total, middle = 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block = row[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += (block[i] - middle) * (block[i] - middle)
        total += part
    return total


@jit(fastmath=REORDER)
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
def standardize_rows(x: Array, weight: Array, bias: Array, eps: float, result: Array, mean: Array, var: Array) -> None:
    """(x - mean) / sqrt(var + eps) * weight + bias; fills in mean and var."""
    to, count = x.dtype.type, x.shape[1]
    for c in range(x.shape[0]):
        row, out = x[c], result[c]
        average = plain_sum(row) / count
        center = to(average)
        away = average - center
        variance = max(square_sum(row, center) / count - away * away, 0.0)
        mean[c], var[c] = average, variance
        rstd = to(1 / math.sqrt(variance + eps))
        for s in range(count):
            out[s] = (row[s] - center) * rstd * weight[s] + bias[s]


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
    """The gradients of x and, added up, of weight and bias."""
    to, count = x.dtype.type, x.shape[1]
    near, bare = np.zeros(count, x.dtype), np.zeros(count, x.dtype)
    for c in range(x.shape[0]):
        g, row, out, center = grad[c], x[c], result[c], to(mean[c])
        scale = 1 / math.sqrt(var[c] + eps)
        total, moment = _weighted_sums(g, row, weight, center)
        slope, offset = slopes(scale, total, moment, count, grad_mean, grad_var, c)
        rstd, along, constant = to(scale), to(slope), to(offset)
        for s in range(count):
            away = row[s] - center
            out[s] = rstd * weight[s] * g[s] + along * away + constant
            near[s] += g[s] * (away * rstd)
            bare[s] += g[s]
        if c % _FLUSH == _FLUSH - 1 or c == x.shape[0] - 1:
            weight_sums += near
            bias_sums += bare
            near[:] = 0
            bare[:] = 0


@jit
def slopes(
    rstd: float, total: float, moment: float, count: int, grad_mean: Array, grad_var: Array, c: int
) -> tuple[float, float]:
    """What the gradient of channel c has of x - mean, and of 1, given the sums of g w and of g w (x - mean)."""
    slope, offset = -(rstd**3) * moment / count, -rstd * total / count
    if grad_var.size:
        slope += 2 * grad_var[c] / count
    if grad_mean.size:
        offset += grad_mean[c] / count
    return slope, offset
