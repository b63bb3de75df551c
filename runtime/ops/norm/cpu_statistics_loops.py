"""The loops of RMS norm, over rows, and of normalizing by given statistics, over planes or samples.

Sums go in blocks: in vector lanes within a block, in double precision from block to block. What is not given of weights
and shifts is not read. The last two arguments are the range of rows, planes or samples.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...kernels.llvm.addresses import part_of

Array = np.ndarray
_BLOCK = 1024


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
