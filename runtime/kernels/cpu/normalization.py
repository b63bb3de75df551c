"""Standardising over any dimensions: subtract the mean, divide by the deviation; the kernels of all norms.

Arrays are seen as (A, C, S). Statistics belong to C, which batch norm has inside (samples, channels, space) and layer
norm in front (1, rows, features). A weight belongs either to C or to S; one of both is multiplied in apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import standardized_loops as loops
from .standardized import layout_behind, layout_over, sum_to


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
        output, mean, var = standardize(input, None, None, dim, (1,), eps)
        return _times(output, weight, affine_shape) + _plus(bias, affine_shape), mean, var
    x = layout.fold(input)
    result = np.empty_like(x)
    mean, var = np.empty((2, layout.channels), x.dtype)
    scales = layout.affine(weight, affine_shape, 1, x.dtype)
    shifts = layout.affine(bias, affine_shape, 0, x.dtype)
    loop = loops.standardize_columns if layout.columns else loops.standardize_rows
    loop(x, *scales, *shifts, eps, result, mean, var)
    shape = layout.stats_shape
    return layout.unfold(result), mean.reshape(shape), var.reshape(shape)


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
    result = np.empty_like(x)
    scales = layout.affine(weight, affine_shape, 1, x.dtype)
    stats = layout.stats(mean), layout.stats(var), layout.stats(grad_mean), layout.stats(grad_var)
    loop = loops.backward_columns if layout.columns else loops.backward_rows
    loop(grad, x, *scales, *stats, eps, result)
    return layout.unfold(result)


def standardize_weight_grad(
    grad_output: np.ndarray,
    input: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    affine_shape: Sequence[int],
    eps: float,
) -> np.ndarray:
    """The sum of grad_output (x - mean) / sqrt(var + eps) down to affine_shape."""
    layout = layout_behind(input.shape, mean.shape)
    x, grad = layout.fold(input), layout.fold(grad_output)
    stats = layout.stats(mean), layout.stats(var)
    part = layout.part(affine_shape)
    if part == "both":
        normal = (input - mean) / np.sqrt(var + eps)
        return sum_to(grad_output * normal, affine_shape).astype(x.dtype)
    if part == "row":
        total = np.zeros(x.shape[2])
        loops.row_sums(grad, x, *stats, eps, total)
        return layout.sum_row(total, affine_shape).astype(x.dtype)
    total = np.zeros(layout.channels)
    loop = loops.channel_sums_of_columns if layout.columns else loops.channel_sums
    loop(grad, x, *stats, eps, total)
    return layout.sum_channels(total, affine_shape).astype(x.dtype)


def _times(array: np.ndarray, weight: np.ndarray | None, shape: Sequence[int]) -> np.ndarray:
    return array if weight is None else array * weight.reshape(shape)


def _plus(bias: np.ndarray | None, shape: Sequence[int]) -> np.ndarray | float:
    return 0.0 if bias is None else bias.reshape(shape)
