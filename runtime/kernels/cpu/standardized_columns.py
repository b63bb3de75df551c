"""Standardising columns, arrays (A, C, 1): all channels side by side, with sums in double precision."""

from __future__ import annotations

import numpy as np

from ..jit import jit

Array = np.ndarray


@jit
def standardize_columns(
    x: Array, weight: Array, bias: Array, eps: float, result: Array, mean: Array, var: Array
) -> None:
    """(x - mean) / sqrt(var + eps) * weight + bias for x (A, C) and one weight for each channel."""
    center, spread = np.zeros(mean.size), np.zeros(mean.size)
    for a in range(len(x)):
        row = x[a]
        for c in range(center.size):
            center[c] += row[c]
    center /= len(x)
    for a in range(len(x)):
        row = x[a]
        for c in range(center.size):
            spread[c] += (row[c] - center[c]) * (row[c] - center[c])
    spread /= len(x)
    mean[:], var[:] = center, spread
    factor = (weight / np.sqrt(spread + eps)).astype(x.dtype)
    for a in range(len(x)):
        row, out = x[a], result[a]
        for c in range(factor.size):
            out[c] = (row[c] - mean[c]) * factor[c] + bias[c]


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
) -> None:
    """The gradients of x, of the weights and of the shifts."""
    count = max(len(x), 1)
    totals, moments = np.zeros(mean.size), np.zeros(mean.size)
    for a in range(len(x)):
        row, g = x[a], grad[a]
        for c in range(mean.size):
            totals[c] += g[c]
            moments[c] += g[c] * (row[c] - mean[c])
    rstd = 1 / np.sqrt(var.astype(np.float64) + eps)
    weight_grad[:], bias_grad[:] = moments * rstd, totals
    factor = (rstd * weight).astype(x.dtype)
    slope = (-(rstd**3) * weight * moments / count).astype(x.dtype)
    offset = (-rstd * weight * totals / count).astype(x.dtype)
    for a in range(len(x)):
        row, g, out = x[a], grad[a], result[a]
        for c in range(factor.size):
            out[c] = factor[c] * g[c] + slope[c] * (row[c] - mean[c]) + offset[c]
