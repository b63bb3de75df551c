"""Standardising columns, arrays (A, C, 1): channels side by side, with sums in double precision.

The last two arguments are the range of channels.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray


@jit
def standardize_columns(
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
    """(x - mean) / sqrt(var + eps) * weight + bias for x (A, C) and one weight for each channel."""
    center, spread = np.zeros(last - first), np.zeros(last - first)
    near, shift = mean[first:last], bias[first:last]
    for a in range(len(x)):
        row = x[a, first:last]
        for c in range(center.size):
            center[c] += row[c]
    center /= len(x)
    for a in range(len(x)):
        row = x[a, first:last]
        for c in range(center.size):
            spread[c] += (row[c] - center[c]) * (row[c] - center[c])
    spread /= len(x)
    near[:], var[first:last] = center, spread
    factor = (weight[first:last] / np.sqrt(spread + eps)).astype(x.dtype)
    for a in range(len(x)):
        row, out = x[a, first:last], result[a, first:last]
        for c in range(factor.size):
            out[c] = (row[c] - near[c]) * factor[c] + shift[c]


@jit
def backward_columns(
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
    """The gradients of x, of the weights and of the shifts."""
    count, near, scale = max(len(x), 1), mean[first:last], weight[first:last]
    totals, moments = np.zeros(near.size), np.zeros(near.size)
    for a in range(len(x)):
        row, g = x[a, first:last], grad[a, first:last]
        for c in range(near.size):
            totals[c] += g[c]
            moments[c] += g[c] * (row[c] - near[c])
    rstd = 1 / np.sqrt(var[first:last].astype(np.float64) + eps)
    weight_grad[first:last], bias_grad[first:last] = moments * rstd, totals
    factor = (rstd * scale).astype(x.dtype)
    slope = (-(rstd**3) * scale * moments / count).astype(x.dtype)
    offset = (-rstd * scale * totals / count).astype(x.dtype)
    for a in range(len(x)):
        row, g, out = x[a, first:last], grad[a, first:last], result[a, first:last]
        for c in range(factor.size):
            out[c] = factor[c] * g[c] + slope[c] * (row[c] - near[c]) + offset[c]
