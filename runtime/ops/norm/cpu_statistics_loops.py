"""The loops of RMS norm, over rows, and of normalizing by given statistics, over planes or samples.

Sums go in blocks: in vector lanes within a block, in double precision from block to block. What is not given of weights
and shifts is not read. The last two arguments are the range of rows, planes or samples.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.sums import REORDER, square_sum
from ...kernels.llvm.addresses import part_of
from .cpu_loops import FLUSH

Array = np.ndarray
_BLOCK = 1024


@jit
def normalize_rows(
    x: Array, weight: Array, result: Array, scales: Array, eps: float, count: int, first: int, last: int
) -> None:
    to = x.dtype.type
    for r in range(first, last):
        row, out = part_of(x, r * count, count), part_of(result, r * count, count)
        scale = to(1 / math.sqrt(square_sum(row, 0.0) / count + eps))
        scales[r] = scale
        for s in range(count):
            out[s] = row[s] * scale * weight[s]


@jit(fastmath=REORDER)
def _weighted_sum(grad: Array, row: Array, weight: Array) -> float:
    total = 0.0
    for k in range(0, row.size, _BLOCK):
        block, value, scale = row[k : k + _BLOCK], grad[k : k + _BLOCK], weight[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += value[i] * scale[i] * block[i]
        total += part
    return total


@jit
def normalize_rows_backward(
    grad: Array, x: Array, weight: Array, scales: Array, result: Array, sums: Array, count: int, first: int, last: int
) -> None:
    """r (c - h mean(c h)) with c = grad weight and h = x r; and for each FLUSH rows the sum of grad h."""
    to = x.dtype.type
    for r in range(first, last):
        block_sums = part_of(sums, r // FLUSH * count, count)
        if r % FLUSH == 0:
            block_sums[:] = 0
        g, row, scale = part_of(grad, r * count, count), part_of(x, r * count, count), scales[r]
        out = part_of(result, r * count, count)
        along = to(float(scale) ** 3 * _weighted_sum(g, row, weight) / count)
        for s in range(count):
            out[s] = scale * weight[s] * g[s] - along * row[s]
            block_sums[s] += g[s] * (row[s] * scale)


@jit
def normalize_planes(
    x: Array, mean: Array, var: Array, weight: Array, bias: Array, result: Array, eps: float, channels: int, space: int,
    weighted: int, biased: int, first: int, last: int,
) -> None:  # fmt: skip
    to = x.dtype.type
    for plane in range(first, last):
        c = plane % channels
        factor = (weight[c] if weighted else to(1)) / math.sqrt(var[c] + eps)
        term = to((bias[c] if biased else to(0)) - mean[c] * factor)
        row, out, scale = part_of(x, plane * space, space), part_of(result, plane * space, space), to(factor)
        for s in range(row.size):
            out[s] = row[s] * scale + term


@jit
def normalize_features(
    x: Array, mean: Array, var: Array, weight: Array, bias: Array, result: Array, eps: float, channels: int,
    weighted: int, biased: int, first: int, last: int,
) -> None:  # fmt: skip
    factors, terms = np.empty(channels, x.dtype), np.empty(channels, x.dtype)
    for c in range(channels):
        factor = (weight[c] if weighted else x.dtype.type(1)) / math.sqrt(var[c] + eps)
        factors[c] = factor
        terms[c] = (bias[c] if biased else x.dtype.type(0)) - mean[c] * factor
    for n in range(first, last):
        row, out = part_of(x, n * channels, channels), part_of(result, n * channels, channels)
        for c in range(row.size):
            out[c] = row[c] * factors[c] + terms[c]
