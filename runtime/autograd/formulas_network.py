"""Helpers of the formulas of network ops: written in ops and Tensor methods, so that they differentiate again.

In the family of `standardize`, statistics keep their reduced dimensions as size 1: a sum "to the shape of mean" is
the sum over the values behind one mean. There r = 1 / sqrt(var + eps), h = (x - mean) r, and c is the gradient
of h.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def rows_times(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight, or the outer product with a 1-d weight: the transpose of linear in its input."""
    return rows.matmul(weight) if weight.ndim == 2 else rows.unsqueeze(-1) * weight


def sum_to_channel(grad: Tensor, stride: tuple[int, ...]) -> Tensor:
    """The sum over all dimensions of a convolution's output but the channels; it has len(stride) spatial ones."""
    channel = grad.ndim - len(stride) - 1
    return grad.sum([dim for dim in range(grad.ndim) if dim != channel])


def named_padding(
    padding: str, weight_shape: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[int, ...]:
    """The (before, after) pads of each spatial dimension for padding 'same' or 'valid'."""
    name = f"conv{len(stride)}d"
    if padding == "valid":
        return (0,) * len(stride)
    if padding != "same":
        raise RuntimeError(f"{name}(): padding must be 'valid', 'same' or integers, but got {padding!r}")
    if any(step != 1 for step in stride):
        raise RuntimeError(f"{name}(): padding='same' is not supported for strided convolutions, stride={stride}")
    totals = [d * (k - 1) for d, k in zip(dilation, weight_shape[2:], strict=True)]
    return tuple(side for total in totals for side in (total // 2, total - total // 2))


def gather_plane(input: Tensor, indices: Tensor) -> Tensor:
    """The values of each plane (the last two dimensions) at `indices` into the flattened plane."""
    return input.flatten(-2).gather(-1, indices.flatten(-2)).reshape(indices.shape)


def plane_size(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of the last two dimensions."""
    return tuple(shape[-2:])


def line_size(size: tuple[int, ...] | None, across: int) -> tuple[int, ...] | None:
    """A 1-d pooling argument as the 2-d one for planes of a single row; an absent one stays absent."""
    return (across, *size) if size else None


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


def reduce_loss(loss: Tensor, reduction: int) -> Tensor:
    """The loss of every value as it is (0), its mean (1), or its sum (2)."""
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


def spread_loss(grad: Tensor, numel: int, reduction: int) -> Tensor:
    """The gradient of each value's loss when `grad` is that of the reduced loss."""
    return grad / max(numel, 1) if reduction == 1 else grad


def weighted(loss: Tensor, weight: Tensor | None) -> Tensor:
    """The loss of every value times its weight."""
    return loss if weight is None else loss * weight


def probability_logit(p: Tensor) -> Tensor:
    """log(p) - log(1 - p), both logarithms at least -100."""
    return p.log().clamp(-100) - (-p).log1p().clamp(-100)


def bernoulli_variance(p: Tensor) -> Tensor:
    """p (1 - p), at least 1e-12."""
    return (p * (1 - p)).clamp(1e-12)


def logit_slope(x: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d loss / dx of binary cross-entropy with logits: (1 - t) sigmoid(x) - pos_weight t sigmoid(-x)."""
    if pos_weight is None:
        return x.sigmoid() - target
    return (1 - target) * x.sigmoid() - pos_weight * target * (-x).sigmoid()


def logit_curvature(x: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d^2 loss / dx^2: (1 - t + pos_weight t) sigmoid(x) sigmoid(-x)."""
    spread = x.sigmoid() * (-x).sigmoid()
    return spread if pos_weight is None else (1 + (pos_weight - 1) * target) * spread


def logit_mixed_slope(x: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d^2 loss / dx dt: -sigmoid(x) - pos_weight sigmoid(-x)."""
    if pos_weight is None:
        return -(x.new_ones(x.shape))
    return -x.sigmoid() - pos_weight * (-x).sigmoid()


def logit_target_slope(x: Tensor, pos_weight: Tensor | None) -> Tensor:
    """d loss / dt: pos_weight softplus(-x) - softplus(x), with softplus(x) = -logsigmoid(-x)."""
    if pos_weight is None:
        return -x
    return op.logsigmoid(-x) - pos_weight * op.logsigmoid(x)
