"""The last step of norms: rows whose variance leaves the range of its dtype, although what they are scaled to does not,
are standardized once more, in double precision, with elements over the largest. Other rows cost a comparison.

Arrays are (A, C, S) with a table (P, Q) of weights, as in cpu_loops.py.
"""

import math

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...compiler.passes.primitives import choose
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import max_size


@jit
def is_in_range(like: float, variance: float) -> bool:
    """Whether a variance lost nothing on the way, nor does what is computed with it."""
    return (choose(like, 2.0**-100, 2.0**-900) <= variance) & (variance <= choose(like, 2.0**100, 2.0**900))


@jit
def variances_in_range(variances: Array, eps: float) -> bool:
    outside, to, like = np.int32(0), variances.dtype.type, variances.dtype.type(0)
    low, high = to(choose(like, 2.0**-100, 2.0**-900)), to(choose(like, 2.0**100, 2.0**900))
    for c in range(variances.size):
        variance = variances[c] + to(eps)
        outside |= np.int32(not ((low <= variance) & (variance <= high)))
    return outside == 0


@jit
def scaled_statistics(
    x: Array, eps: float, samples: int, channels: int, space: int, c: int
) -> tuple[float, float, float, float]:
    """Of a channel over its largest |x|: that, the mean, the variance, and 1 / sqrt(variance + eps)."""
    top, mean, variance, count = 0.0, 0.0, 0.0, samples * space
    for a in range(samples):
        top = max(top, max_size(x, (a * channels + c) * space, space, 1))
    if not 0 < top < math.inf:
        top = 1.0
    for a in range(samples):
        for s in range(space):
            mean += float(x[(a * channels + c) * space + s]) / top / count
    for a in range(samples):
        for s in range(space):
            distance = float(x[(a * channels + c) * space + s]) / top - mean
            variance += distance * distance / count
    return top, mean, variance, 1 / math.sqrt(variance + eps / top / top)


@jit(halves=WRITTEN)
def finish_standardized(
    x: Array, weight: Array, bias: Array, result: Array, mean: Array, var: Array, eps: float, samples: int,
    channels: int, space: int, lines: int, parts: int,
) -> None:  # fmt: skip
    if variances_in_range(var, eps):
        return
    each = space // parts
    for c in range(channels):
        if is_in_range(var.dtype.type(0), float(var[c]) + eps):
            continue
        top, center, variance, scale = scaled_statistics(x, eps, samples, channels, space, c)
        mean[c], var[c] = center * top, variance * top * top
        for a in range(samples):
            for s in range(space):
                at, k = (a * channels + c) * space + s, c % lines * parts + s // each
                result[at] = (float(x[at]) / top - center) * scale * weight[k] + bias[k]


@jit(halves=WRITTEN)
def finish_gradients(
    grad: Array, x: Array, weight: Array, var: Array, result: Array, weight_grad: Array, bias_grad: Array, eps: float,
    samples: int, channels: int, space: int, lines: int, parts: int,
) -> None:  # fmt: skip
    """As one row spoils the sums for all, the gradients of weights and shifts are computed again of all rows."""
    if variances_in_range(var, eps):
        return
    each, count = space // parts, samples * space
    for k in range(weight_grad.size):
        weight_grad[k] = bias_grad[k] = 0
    for c in range(channels):
        top, center, _, scale = scaled_statistics(x, eps, samples, channels, space, c)
        total, moment = 0.0, 0.0
        for a in range(samples):
            for s in range(space):
                at, k = (a * channels + c) * space + s, c % lines * parts + s // each
                unit, g = (float(x[at]) / top - center) * scale, float(grad[at])
                weight_grad[k] += g * unit
                bias_grad[k] += g
                total += g * weight[k] / count
                moment += g * weight[k] * unit / count
        if is_in_range(var.dtype.type(0), float(var[c]) + eps):
            continue
        for a in range(samples):
            for s in range(space):
                at, k = (a * channels + c) * space + s, c % lines * parts + s // each
                unit = (float(x[at]) / top - center) * scale
                result[at] = (float(grad[at]) * weight[k] - total - unit * moment) * scale / top
