"""Helpers of the formulas of norms, written in ops and Tensor methods so that they differentiate again.

Below, h = (x - mean) r is the standardised input, with r = 1 / sqrt(var + eps), and c the gradient of h.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = tuple[int, ...]


def _scaled(grad: Tensor, weight: Tensor | None, affine_shape: Ints) -> Tensor:
    """grad * weight, the weight seen in `affine_shape`."""
    return grad if weight is None else grad * weight.reshape(affine_shape)


def _rstd(x: Tensor, dim: Ints, eps: float) -> Tensor:
    return (op.var(x, dim, correction=0, keepdim=True) + eps).rsqrt()


def standardized(x: Tensor, dim: Ints, eps: float) -> Tensor:
    """h."""
    return (x - op.mean(x, dim, True)) * _rstd(x, dim, eps)


def _let_through(c: Tensor, normal: Tensor, dim: Ints) -> Tensor:
    """c - mean(c) - h mean(c h): the part of a gradient that standardising lets through; symmetric in its first."""
    return c - op.mean(c, dim, True) - normal * op.mean(c * normal, dim, True)


def standardize_slope(
    grad: Tensor, x: Tensor, weight: Tensor | None, dim: Ints, affine_shape: Ints, eps: float
) -> Tensor:
    """r (c - mean(c) - h mean(c h)) with c = grad weight."""
    c = _scaled(grad, weight, affine_shape)
    return _let_through(c, standardized(x, dim, eps), dim) * _rstd(x, dim, eps)


def standardize_tangent(
    x_t: Tensor,
    weight_t: Tensor | None,
    bias_t: Tensor | None,
    x: Tensor,
    weight: Tensor | None,
    dim: Ints,
    affine_shape: Ints,
    eps: float,
) -> Tensor:
    """The tangent of h weight + bias."""
    normal = standardized(x, dim, eps)
    tangent = _scaled(_let_through(x_t, normal, dim) * _rstd(x, dim, eps), weight, affine_shape)
    if weight_t is not None:
        tangent = tangent + normal * weight_t.reshape(affine_shape)
    return tangent if bias_t is None else tangent + bias_t.reshape(affine_shape)


def _grouped(x: Tensor, groups: int) -> Tensor:
    """(N, C, ...) as (N, groups, channels of a group, places)."""
    return x.reshape(x._shape[0], groups, x._shape[1] // groups, prod(x._shape[2:]))


def _per_group(x: Tensor, groups: int) -> Ints:
    return (groups, x._shape[1] // groups, 1)


def grouped_slope(grad: Tensor, x: Tensor, weight: Tensor | None, groups: int, eps: float) -> Tensor:
    """`standardize_slope` within groups of channels."""
    slope = standardize_slope(_grouped(grad, groups), _grouped(x, groups), weight, (2, 3), _per_group(x, groups), eps)
    return slope.reshape(x._shape)


def grouped_weight_slope(grad: Tensor, x: Tensor, groups: int, eps: float) -> Tensor:
    """The sum of grad h over all but the channels."""
    return sum_channels(grad * standardized(_grouped(x, groups), (2, 3), eps).reshape(x._shape))


def sum_channels(value: Tensor) -> Tensor:
    """The sum over all dimensions but the second."""
    return op.sum(value, [dim for dim in range(value.ndim) if dim != 1])


def per_channel(values: Tensor, ndim: int) -> Tensor:
    """One number per channel in the shape in which it meets (N, C, ...)."""
    return values.reshape([-1] + [1] * (ndim - 2))


def scaled_rstd(var: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    """weight / sqrt(var + eps)."""
    rstd = (var + eps).rsqrt()
    return rstd if weight is None else rstd * weight


def channel_moments(grad: Tensor, x: Tensor, mean: Tensor) -> Tensor:
    """The sum of grad (x - mean) over all but the channels."""
    return sum_channels(grad * (x - per_channel(mean, x.ndim)))


def normalize_by_tangent(
    x_t: Tensor,
    mean_t: Tensor,
    var_t: Tensor,
    weight_t: Tensor | None,
    bias_t: Tensor | None,
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    weight: Tensor | None,
    eps: float,
) -> Tensor:
    """The tangent of (x - mean) s + bias with s = weight / sqrt(var + eps), when all of them vary."""
    scale, away = scaled_rstd(var, weight, eps), x - per_channel(mean, x.ndim)
    scale_t = -0.5 * var_t * scale / (var + eps)
    if weight_t is not None:
        scale_t = scale_t + weight_t * (var + eps).rsqrt()
    tangent = (x_t - per_channel(mean_t, x.ndim)) * per_channel(scale, x.ndim) + away * per_channel(scale_t, x.ndim)
    return tangent if bias_t is None else tangent + per_channel(bias_t, x.ndim)


def grouped_tangent(
    x_t: Tensor,
    weight_t: Tensor | None,
    bias_t: Tensor | None,
    x: Tensor,
    weight: Tensor | None,
    groups: int,
    eps: float,
) -> Tensor:
    """`standardize_tangent` within groups of channels."""
    given = _grouped(x_t, groups), weight_t, bias_t, _grouped(x, groups), weight
    return standardize_tangent(*given, (2, 3), _per_group(x, groups), eps).reshape(x._shape)


def _rms_scale(x: Tensor, dim: Ints, eps: float) -> Tensor:
    """r = 1 / sqrt(mean(x^2) + eps)."""
    return (op.mean(x * x, dim, True) + eps).rsqrt()


def rms_normalized(x: Tensor, dim: Ints, eps: float) -> Tensor:
    """h = x r."""
    return x * _rms_scale(x, dim, eps)


def _through_rms(c: Tensor, x: Tensor, dim: Ints, eps: float) -> Tensor:
    """r (c - h mean(c h)): what division by the root mean square makes of a gradient, and of a tangent."""
    scale = _rms_scale(x, dim, eps)
    normal = x * scale
    return scale * (c - normal * op.mean(c * normal, dim, True))


def rms_slope(grad: Tensor, x: Tensor, weight: Tensor | None, dim: Ints, eps: float) -> Tensor:
    """r (c - h mean(c h)) with c = grad weight."""
    return _through_rms(grad if weight is None else grad * weight, x, dim, eps)


def rms_tangent(
    x_t: Tensor, weight_t: Tensor | None, x: Tensor, weight: Tensor | None, dim: Ints, eps: float
) -> Tensor:
    """The tangent of h weight."""
    tangent = _through_rms(x_t, x, dim, eps)
    tangent = tangent if weight is None else tangent * weight
    return tangent if weight_t is None else tangent + rms_normalized(x, dim, eps) * weight_t
