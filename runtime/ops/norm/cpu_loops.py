"""The loops of standardizing, as plans call them, one pair for each kind of layout (see cpu_layout.py).

columns: arrays (A, C), channels side by side. segments: arrays (A, C, S) with a table (P, Q) of weights, of which S / Q
neighbours of a row share one; all passes over one channel follow each other, so that it stays in the cache.

Sums go in blocks of 1024 elements: in vector lanes within a block, in double precision from block to block. The last
two arguments of a loop are the range of rows or channels.
"""

import math

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_run
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import REORDER, column_square_sums, column_sums, plain_sum, square_sum
from ...kernels.llvm.addresses import clear, empty_row, part_of, zero_row

_BLOCK = 1024
_WIDTH = 2048  # channels side by side of which all passes follow each other, so that they stay in the cache
FLUSH = 64  # rows whose weight gradients are added up before they go into double precision


@jit
def standardize_columns(
    x: Array, weight: Array, bias: Array, result: Array, mean: Array, var: Array, eps: float, samples: int,
    channels: int, first: int, last: int,
) -> None:  # fmt: skip
    for start in range(first, last, _WIDTH):
        width = min(_WIDTH, last - start)
        centers, spreads = part_of(mean, start, width), part_of(var, start, width)
        _column_statistics(x, samples, channels, start, centers, spreads)
        factors, shifts = empty_row(x.dtype.type(0), width), part_of(bias, start, width)
        for c in range(width):
            factors[c] = weight[start + c] / math.sqrt(spreads[c] + eps)
        for a in range(samples):
            row, out = part_of(x, a * channels + start, width), part_of(result, a * channels + start, width)
            for c in range(width):
                out[c] = (row[c] - centers[c]) * factors[c] + shifts[c]


@jit
def _column_statistics(x: Array, samples: int, channels: int, start: int, centers: Array, spreads: Array) -> None:
    """Means and variances of some channels; the squares are taken from the rounded means, and put right for that."""
    means, squares = empty_row(0.0, centers.size), empty_row(0.0, centers.size)
    column_sums(x, samples, channels, start, means)
    for c in range(means.size):
        means[c] /= samples
        centers[c] = means[c]
    column_square_sums(x, samples, channels, start, centers, squares)
    for c in range(means.size):
        off = means[c] - centers[c]
        row_variance = squares[c] / samples - off * off
        spreads[c] = 0.0 if row_variance < 0.0 else row_variance  # nan stays


@jit
def backward_columns(
    grad: Array, x: Array, weight: Array, mean: Array, var: Array, result: Array, weight_grad: Array, bias_grad: Array,
    eps: float, samples: int, channels: int, first: int, last: int,
) -> None:  # fmt: skip
    for start in range(first, last, _WIDTH):
        width = min(_WIDTH, last - start)
        centers, zero = part_of(mean, start, width), x.dtype.type(0)
        totals, moments = empty_row(0.0, width), empty_row(0.0, width)
        _column_moments(grad, x, samples, channels, start, centers, totals, moments)
        factors, along, constant = empty_row(zero, width), empty_row(zero, width), empty_row(zero, width)
        for c in range(width):
            rstd, scale = 1 / math.sqrt(var[start + c] + eps), float(weight[start + c])
            weight_grad[start + c], bias_grad[start + c] = moments[c] * rstd, totals[c]
            factors[c], constant[c] = rstd * scale, -rstd * scale * totals[c] / samples
            along[c] = -(rstd**3) * scale * moments[c] / samples
        for a in range(samples):
            at = a * channels + start
            g, row, out = part_of(grad, at, width), part_of(x, at, width), part_of(result, at, width)
            for c in range(width):
                out[c] = factors[c] * g[c] + along[c] * (row[c] - centers[c]) + constant[c]


@jit
def _column_moments(
    grad: Array, x: Array, samples: int, channels: int, start: int, centers: Array, totals: Array, moments: Array
) -> None:
    """totals[c] = sum_a g[a, c] and moments[c] = sum_a g[a, c] (x[a, c] - centers[c]), in blocks of FLUSH rows."""
    part, other = empty_row(x.dtype.type(0), totals.size), empty_row(x.dtype.type(0), totals.size)
    clear(totals)
    clear(moments)
    for k in range(0, samples, FLUSH):
        clear(part)
        clear(other)
        for a in range(k, min(k + FLUSH, samples)):
            at = a * channels + start
            g, row = part_of(grad, at, part.size), part_of(x, at, part.size)
            for c in range(part.size):
                part[c] += g[c]
                other[c] += g[c] * (row[c] - centers[c])
        for c in range(part.size):
            totals[c] += part[c]
            moments[c] += other[c]


@jit(fastmath=REORDER)
def _sums(grad: Array, row: Array, center: float) -> tuple[float, float]:
    total, moment, center_value = 0.0, 0.0, row.dtype.type(center)
    for k in range(0, row.size, _BLOCK):
        block, value = row[k : k + _BLOCK], grad[k : k + _BLOCK]
        part, other = row.dtype.type(0), row.dtype.type(0)
        for i in range(block.size):
            part += value[i]
            other += value[i] * (block[i] - center_value)
        total += part
        moment += other
    return total, moment


@jit
def _statistics(x: Array, samples: int, channels: int, space: int, c: int) -> tuple[float, float]:
    """Mean and variance of a channel; the squares are taken from a center near the mean, and put right for that."""
    count = max(samples * space, 1)
    total = squares = 0.0
    for a in range(samples):
        total += plain_sum(part_of(x, (a * channels + c) * space, space))
    mean = total / count
    center = float(x.dtype.type(mean))
    for a in range(samples):
        squares += square_sum(part_of(x, (a * channels + c) * space, space), center)
    return mean, max(squares / count - (mean - center) * (mean - center), 0.0)


@jit
def standardize_segments(
    x: Array, weight: Array, bias: Array, result: Array, mean: Array, var: Array, eps: float, samples: int,
    channels: int, space: int, lines: int, parts: int, first: int, last: int,
) -> None:  # fmt: skip
    to, each = x.dtype.type, space // max(parts, 1)
    for c in range(first, last):
        average, variance = _statistics(x, samples, channels, space, c)
        mean[c], var[c] = average, variance
        center, rstd, p = to(average), 1 / math.sqrt(variance + eps), c % lines
        for a in range(samples):
            for q in range(parts):
                start = (a * channels + c) * space + q * each
                row, out = part_of(x, start, each), part_of(result, start, each)
                factor, shift = to(weight[p * parts + q] * rstd), bias[p * parts + q]
                for s in range(row.size):
                    out[s] = (row[s] - center) * factor + shift


@jit
def backward_segments(
    grad: Array, x: Array, weight: Array, mean: Array, var: Array, result: Array, weight_grad: Array, bias_grad: Array,
    eps: float, samples: int, channels: int, space: int, lines: int, parts: int, first: int, last: int,
) -> None:  # fmt: skip
    """The gradients of x and of the tables (P, Q), for the channels c with first <= c % P < last."""
    to, each = x.dtype.type, space // max(parts, 1)
    count, weight_sums, bias_sums = max(samples * space, 1), zero_row(0.0, weight.size), zero_row(0.0, weight.size)
    for c in range(channels):
        rstd, p, center = 1 / math.sqrt(var[c] + eps), c % lines, to(mean[c])
        if p < first or p >= last:
            continue
        total = moment = 0.0
        for a in range(samples):
            for q in range(parts):
                start = (a * channels + c) * space + q * each
                g, row = part_of(grad, start, each), part_of(x, start, each)
                part, other = _sums(g, row, center)
                bias_sums[p * parts + q] += part
                weight_sums[p * parts + q] += other * rstd
                total += part * weight[p * parts + q]
                moment += other * weight[p * parts + q]
        along, constant = to(-(rstd**3) * moment / count), to(-rstd * total / count)
        for a in range(samples):
            for q in range(parts):
                start = (a * channels + c) * space + q * each
                g, row = part_of(grad, start, each), part_of(x, start, each)
                out, factor = part_of(result, start, each), to(rstd * weight[p * parts + q])
                for s in range(row.size):
                    out[s] = factor * g[s] + along * (row[s] - center) + constant
    copy_run(weight_sums, first * parts, weight_grad, first * parts, (last - first) * parts)
    copy_run(bias_sums, first * parts, bias_grad, first * parts, (last - first) * parts)
