"""Standardising over any dimensions: subtract the mean, divide by the deviation; the kernels of all norms.

Arrays are seen as (A, C, S). Statistics belong to C, which batch norm has inside (samples, channels, space) and layer
norm in front (1, rows, features). A weight belongs either to C or to S; one of both is multiplied in apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..jit import jit
from .standardized import layout_behind, layout_over, sum_to

_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling


def standardize(
    input: np.ndarray,
    weight: np.ndarray | None,
    bias: np.ndarray | None,
    dim: Sequence[int],
    affine_shape: Sequence[int],
    eps: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and the (biased) variance over `dim`."""
    layout = layout_over(input.shape, tuple(dim))
    if layout.part(affine_shape) == "both":
        output, *stats = standardize(input, None, None, dim, (1,), eps)
        return _times(output, weight, affine_shape) + _plus(bias, affine_shape), *stats
    x = layout.fold(input)
    mean, var = np.empty((2, layout.channels))
    _moments(x, mean, var)
    scale = 1 / np.sqrt(var + eps)
    channel, row = layout.affine(weight, affine_shape, 1.0, input.dtype)
    channel_bias, row_bias = layout.affine(bias, affine_shape, 0.0, input.dtype)
    result = np.empty_like(x)
    _affine(x, mean, scale * channel, channel_bias, row, row_bias, result)
    stats = (layout.unfold_stats(mean, input.dtype), layout.unfold_stats(var, input.dtype))
    return layout.unfold(result), *stats


def standardize_backward(
    grad_output: np.ndarray,
    grad_mean: np.ndarray | None,
    grad_var: np.ndarray | None,
    input: np.ndarray,
    weight: np.ndarray | None,
    mean: np.ndarray,
    var: np.ndarray,
    affine_shape: Sequence[int],
    eps: float,
) -> np.ndarray:
    """r (c - mean(c) - h mean(c h)) + grad_mean / m + 2 grad_var (x - mean) / m, as the spec's entry explains."""
    layout = layout_behind(input.shape, mean.shape)
    if layout.part(affine_shape) == "both":
        grad_output, weight = _times(grad_output, weight, affine_shape), None
    x, grad = layout.fold(input), layout.fold(grad_output)
    channel, row = layout.affine(weight, affine_shape, 1.0, input.dtype)
    center, rstd = _statistics(mean, var, eps)
    sums, moments = np.empty((2, layout.channels))
    _weighted_sums(grad, x, center, row, sums, moments)
    scale = rstd * channel
    slope = -scale * rstd * rstd * moments / layout.count
    shift = -scale * sums / layout.count
    if grad_mean is not None:
        shift += grad_mean.reshape(-1) / layout.count
    if grad_var is not None:
        slope += 2 * grad_var.reshape(-1) / layout.count
    result = np.empty_like(x)
    _combine(grad, x, center, row, scale, slope, shift, result)
    return layout.unfold(result)


def standardize_weight_grad(
    grad_output: np.ndarray,
    input: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    affine_shape: Sequence[int],
    eps: float,
) -> np.ndarray:
    """The sum of grad_output (x - mean) r down to affine_shape."""
    layout = layout_behind(input.shape, mean.shape)
    x, grad = layout.fold(input), layout.fold(grad_output)
    center, rstd = _statistics(mean, var, eps)
    part = layout.part(affine_shape)
    if part == "channel":
        sums, moments = np.empty((2, layout.channels))
        _weighted_sums(grad, x, center, np.ones(x.shape[2], x.dtype), sums, moments)
        return layout.sum_channels(moments * rstd, affine_shape).astype(x.dtype)
    if part == "row":
        total = np.zeros(x.shape[2])
        _row_sums(grad, x, center, rstd, total)
        return layout.sum_row(total, affine_shape).astype(x.dtype)
    products = layout.unfold(grad * (x - center[:, None]) * rstd[:, None])
    return sum_to(products, affine_shape).astype(x.dtype)


def _times(array: np.ndarray, weight: np.ndarray | None, shape: Sequence[int]) -> np.ndarray:
    return array if weight is None else array * weight.reshape(shape)


def _plus(bias: np.ndarray | None, shape: Sequence[int]) -> np.ndarray | float:
    return 0.0 if bias is None else bias.reshape(shape)


def _statistics(mean: np.ndarray, var: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """The means and 1 / sqrt(var + eps) of all channels, in double precision."""
    return mean.reshape(-1).astype(np.float64), 1 / np.sqrt(var.reshape(-1).astype(np.float64) + eps)


@jit(fastmath=_REORDER)
def _moments(x: np.ndarray, mean: np.ndarray, var: np.ndarray) -> None:
    """Mean and variance of each channel, in two passes."""
    count = x.shape[0] * x.shape[2]
    mean[:] = 0
    var[:] = 0
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            row, total = x[a, c], 0.0
            for s in range(row.size):
                total += row[s]
            mean[c] += total
    mean /= count
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            row, total, center = x[a, c], 0.0, mean[c]
            for s in range(row.size):
                total += (row[s] - center) * (row[s] - center)
            var[c] += total
    var /= count


@jit
def _affine(
    x: np.ndarray,
    mean: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    row_scale: np.ndarray,
    row_shift: np.ndarray,
    result: np.ndarray,
) -> None:
    """((x - mean) scale + shift) row_scale + row_shift."""
    to = x.dtype.type
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            row, out = x[a, c], result[a, c]
            center, factor, offset = to(mean[c]), to(scale[c]), to(shift[c])
            for s in range(row.size):
                out[s] = ((row[s] - center) * factor + offset) * row_scale[s] + row_shift[s]


@jit(fastmath=_REORDER)
def _weighted_sums(
    grad: np.ndarray,
    x: np.ndarray,
    mean: np.ndarray,
    row_scale: np.ndarray,
    sums: np.ndarray,
    moments: np.ndarray,
) -> None:
    """Per channel the sums of c and of c (x - mean), for c = grad row_scale."""
    sums[:] = 0
    moments[:] = 0
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            g, row, center, total, moment = grad[a, c], x[a, c], mean[c], 0.0, 0.0
            for s in range(row.size):
                value = g[s] * row_scale[s]
                total += value
                moment += value * (row[s] - center)
            sums[c] += total
            moments[c] += moment


@jit
def _combine(
    grad: np.ndarray,
    x: np.ndarray,
    mean: np.ndarray,
    row_scale: np.ndarray,
    scale: np.ndarray,
    slope: np.ndarray,
    shift: np.ndarray,
    result: np.ndarray,
) -> None:
    """scale grad row_scale + slope (x - mean) + shift."""
    to = x.dtype.type
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            g, row, out = grad[a, c], x[a, c], result[a, c]
            factor, center, tilt, offset = to(scale[c]), to(mean[c]), to(slope[c]), to(shift[c])
            for s in range(row.size):
                out[s] = factor * g[s] * row_scale[s] + tilt * (row[s] - center) + offset


@jit
def _row_sums(grad: np.ndarray, x: np.ndarray, mean: np.ndarray, rstd: np.ndarray, total: np.ndarray) -> None:
    """Per place of a row the sum of grad (x - mean) rstd."""
    for a in range(x.shape[0]):
        for c in range(x.shape[1]):
            g, row, center, factor = grad[a, c], x[a, c], mean[c], rstd[c]
            for s in range(row.size):
                total[s] += g[s] * (row[s] - center) * factor
