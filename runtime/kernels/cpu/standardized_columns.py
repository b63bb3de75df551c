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
    grad_mean: Array,
    grad_var: Array,
    eps: float,
    result: Array,
    weight_sums: Array,
    bias_sums: Array,
) -> None:
    """The gradients of x (where result has room), of the weights and of the shifts."""
    count = max(len(x), 1)
    for a in range(len(x)):
        row, g = x[a], grad[a]
        for c in range(mean.size):
            bias_sums[c] += g[c]
            weight_sums[c] += g[c] * (row[c] - mean[c])
    rstd = 1 / np.sqrt(var + eps)
    slope, offset = -(rstd**3) * weight * weight_sums / count, -rstd * weight * bias_sums / count
    weight_sums *= rstd
    if grad_var.size:
        slope += 2 * grad_var / count
    if grad_mean.size:
        offset += grad_mean / count
    if result.size:
        factor, slopes, offsets = (rstd * weight).astype(x.dtype), slope.astype(x.dtype), offset.astype(x.dtype)
        for a in range(len(x)):
            row, g, out = x[a], grad[a], result[a]
            for c in range(factor.size):
                out[c] = factor[c] * g[c] + slopes[c] * (row[c] - mean[c]) + offsets[c]
