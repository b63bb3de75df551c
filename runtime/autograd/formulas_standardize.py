"""Helpers of the formulas of `standardize`, written in ops and Tensor methods so that they differentiate again.

Statistics keep their reduced dimensions as size 1, so a sum to the shape of mean is the sum over the values behind one
mean. Below, r = 1 / sqrt(var + eps), h = (x - mean) r, c is the gradient of h, and m the number of those values.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def mean_to(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The mean of the values that fall on each place of `shape`."""
    return value.sum_to_size(shape) / _count(value, shape)


def _count(value: Tensor, shape: tuple[int, ...]) -> int:
    return value.numel() // max(prod(shape), 1)


def _scaled(grad: Tensor, weight: Tensor | None, affine_shape: tuple[int, ...]) -> Tensor:
    """grad * weight, the weight seen in `affine_shape`."""
    return grad if weight is None else grad * weight.reshape(affine_shape)


def _rstd(var: Tensor, eps: float) -> Tensor:
    return (var + eps).rsqrt()


def _centered(grad: Tensor, normal: Tensor, shape: tuple[int, ...]) -> Tensor:
    """grad - mean(grad) - h mean(grad h): the part of a gradient that standardising lets through."""
    return grad - mean_to(grad, shape) - normal * mean_to(grad * normal, shape)


def standardize_tangent(
    x_t: Tensor,
    weight_t: Tensor | None,
    bias_t: Tensor | None,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """The tangent of standardize's output."""
    rstd = _rstd(var, eps)
    normal = (x - mean) * rstd
    tangent = _scaled(_centered(x_t, normal, mean.shape) * rstd, weight, affine_shape)
    if weight_t is not None:
        tangent = tangent + normal * weight_t.reshape(affine_shape)
    return tangent if bias_t is None else tangent + bias_t.reshape(affine_shape)


def standardized_tangent(
    x_t: Tensor, mean_t: Tensor, var_t: Tensor, x: Tensor, mean: Tensor, var: Tensor, eps: float
) -> Tensor:
    """The tangent of h = (x - mean) r when x, mean and var vary on their own."""
    rstd = _rstd(var, eps)
    return (x_t - mean_t) * rstd - 0.5 * (x - mean) * rstd**3 * var_t


def standardize_backward_grad(
    grad: Tensor,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """r weight (grad - mean(grad) - h mean(grad h)): without its weight, standardize_backward is symmetric."""
    slope = op.standardize_backward(grad, None, None, x, None, mean, var, affine_shape, eps)
    return _scaled(slope, weight, affine_shape)


def standardize_backward_self(
    grad: Tensor,
    grad_output: Tensor,
    grad_var: Tensor | None,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """-r^2 (grad mean(c h) + c mean(grad h)) + 2 grad grad_var / m."""
    rstd, shape = _rstd(var, eps), mean.shape
    normal, scaled = (x - mean) * rstd, _scaled(grad_output, weight, affine_shape)
    crossed = grad * mean_to(scaled * normal, shape) + scaled * mean_to(grad * normal, shape)
    slope = -rstd * rstd * crossed
    return slope if grad_var is None else slope + grad * (grad_var * (2 / _count(x, shape)))


def standardize_backward_mean(
    grad: Tensor,
    grad_output: Tensor,
    grad_var: Tensor | None,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """Minus the gradient of x, summed to the shape of mean: the function reads x - mean only."""
    slope = standardize_backward_self(grad, grad_output, grad_var, x, weight, mean, var, affine_shape, eps)
    return -slope.sum_to_size(mean.shape)


def standardize_backward_weight(
    grad: Tensor,
    grad_output: Tensor,
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """The sum to affine_shape of grad_output r (grad - mean(grad) - h mean(grad h))."""
    rstd = _rstd(var, eps)
    slope = rstd * _centered(grad, (x - mean) * rstd, mean.shape)
    return (grad_output * slope).sum_to_size(affine_shape)


def standardize_backward_var(
    grad: Tensor,
    grad_output: Tensor,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """-r^3/2 (sum(grad c) - sum(grad) mean(c) - 3 sum(grad h) mean(c h))."""
    rstd, shape = _rstd(var, eps), mean.shape
    normal, scaled = (x - mean) * rstd, _scaled(grad_output, weight, affine_shape)
    slope = scaled - mean_to(scaled, shape) - 3 * normal * mean_to(scaled * normal, shape)
    return -0.5 * rstd**3 * (grad * slope).sum_to_size(shape)


def standardize_backward_tangent(
    grad_output_t: Tensor,
    grad_mean_t: Tensor | None,
    grad_var_t: Tensor | None,
    x_t: Tensor,
    weight_t: Tensor | None,
    mean_t: Tensor,
    var_t: Tensor,
    grad_output: Tensor,
    grad_var: Tensor | None,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    affine_shape: tuple[int, ...],
    eps: float,
) -> Tensor:
    """The tangent of r (c - mean(c) - h mean(c h)) + grad_mean / m + 2 grad_var (x - mean) / m."""
    rstd, shape, count = _rstd(var, eps), mean.shape, _count(x, mean.shape)
    rstd_t = -0.5 * rstd**3 * var_t
    normal, scaled = (x - mean) * rstd, _scaled(grad_output, weight, affine_shape)
    normal_t = standardized_tangent(x_t, mean_t, var_t, x, mean, var, eps)
    scaled_t = _scaled(grad_output_t, weight, affine_shape)
    if weight_t is not None:
        scaled_t = scaled_t + _scaled(grad_output, weight_t, affine_shape)
    overlap_t = mean_to(scaled * normal_t, shape)
    tangent = rstd_t * _centered(scaled, normal, shape) + rstd * _centered(scaled_t, normal, shape)
    tangent = tangent - rstd * (normal_t * mean_to(scaled * normal, shape) + normal * overlap_t)
    if grad_mean_t is not None:
        tangent = tangent + grad_mean_t / count
    if grad_var is not None and grad_var_t is not None:
        tangent = tangent + (grad_var_t * (x - mean) + grad_var * (x_t - mean_t)) * (2 / count)
    return tangent
