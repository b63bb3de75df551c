"""Normalisation by statistics that are given, and how running statistics follow those of batches."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray


def normalize_by(input: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, eps: float) -> Array:
    """(x - mean) / sqrt(var + eps) * weight + bias for x (N, C, ...) and one number per channel in all others."""
    samples, channels = input.shape[:2]
    places = input.size // max(samples * channels, 1)
    result = np.empty(input.shape, input.dtype)
    folded = (samples, channels, places)
    given = [np.ascontiguousarray(v) for v in (mean, var)]
    scales = np.ones(channels, input.dtype) if weight is None else np.ascontiguousarray(weight)
    shifts = np.zeros(channels, input.dtype) if bias is None else np.ascontiguousarray(bias)
    x = np.ascontiguousarray(input).reshape(folded)
    _normalize(x, *given, scales, shifts, eps, result.reshape(folded))
    return result


@jit
def _normalize(x: Array, mean: Array, var: Array, weight: Array, bias: Array, eps: float, result: Array) -> None:
    factors, terms = np.empty(mean.size, x.dtype), np.empty(mean.size, x.dtype)
    for c in range(mean.size):
        factor = weight[c] / math.sqrt(var[c] + eps)
        factors[c] = factor
        terms[c] = bias[c] - mean[c] * factor
    for n in range(x.shape[0]):
        if x.shape[2] == 1:
            line, to = x[n].reshape(-1), result[n].reshape(-1)
            for c in range(factors.size):
                to[c] = line[c] * factors[c] + terms[c]
            continue
        for c in range(factors.size):
            row, out, factor, term = x[n, c], result[n, c], factors[c], terms[c]
            for s in range(row.size):
                out[s] = row[s] * factor + term


@jit
def follow(running: Array, batch: Array, share: float, factor: float) -> None:
    """running = (1 - share) running + share factor batch."""
    for i in range(running.size):
        running[i] = (1 - share) * running[i] + share * factor * batch[i]
