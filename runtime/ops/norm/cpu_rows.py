"""Standardising rows, each with statistics of its own and a weight for every place, as layer norm does: arrays (C, S).

Sums go in blocks of 1024 elements: in vector lanes within a block, in double precision from block to block. The last
two arguments of loops are the range of rows.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.sums import REORDER, plain_sum, square_sum
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of

_BLOCK = 1024
FLUSH = 64  # rows whose weight gradients are added up before they go into double precision

Array = np.ndarray


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
def standardize_rows(
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
    """(x - mean) / sqrt(var + eps) * weight + bias; fills in mean and var."""
    to, count = x.dtype.type, x.shape[1]
    for c in range(first, last):
        row, out = part_of(x, c * count, count), part_of(result, c * count, count)
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
    eps: float,
    result: Array,
    sums: Array,
    first: int,
    last: int,
) -> None:
    """The gradient of x; and for each FLUSH rows those of weight and of bias, in sums (blocks, 2, places)."""
    to, count = x.dtype.type, x.shape[1]
    for c in range(first, last):
        near, bare = sums[c // FLUSH, 0], sums[c // FLUSH, 1]
        if c % FLUSH == 0:
            near[:], bare[:] = 0, 0
        g, row, center = part_of(grad, c * count, count), part_of(x, c * count, count), to(mean[c])
        out = part_of(result, c * count, count)
        scale = 1 / math.sqrt(var[c] + eps)
        total, moment = _weighted_sums(g, row, weight, center)
        rstd, along, constant = to(scale), to(-(scale**3) * moment / count), to(-scale * total / count)
        for s in range(count):
            away = row[s] - center
            out[s] = rstd * weight[s] * g[s] + along * away + constant
            near[s] += g[s] * (away * rstd)
            bare[s] += g[s]


@jit
def add_blocks(sums: Array, result: Array) -> None:
    """The sums of sums (blocks, places), in double precision."""
    totals = np.zeros(result.size)
    for b in range(sums.shape[0]):
        totals += sums[b]
    result[:] = totals
