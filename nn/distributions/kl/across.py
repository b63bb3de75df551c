"""Divergences across families: -entropy(p) - E_p[log q], from the means of x, x^2, log(x) or exp(-x)."""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ..base.parameters import euler_constant
from ..beta import Beta
from ..cauchy import Gumbel, Uniform
from ..exponential import Exponential, Pareto
from ..gamma import Gamma
from ..normal import Laplace, Normal
from ..unit_interval import ContinuousBernoulli
from .registry import Divergence, _infinite_like, _x_log_x, register_kl


def _from(*types: Any, to: Any) -> Callable[[Divergence], Divergence]:
    def registered(function: Divergence) -> Divergence:
        for kind in types:
            register_kl(kind, to)(function)
        return function

    return registered


@singledispatch
def _mean_log(p: Any) -> Tensor:
    raise NotImplementedError


@_mean_log.register(Exponential)
def _(p: Exponential) -> Tensor:
    return -euler_constant - p.rate.log()


@_mean_log.register(Pareto)
def _(p: Pareto) -> Tensor:
    return p.scale.log() + p.alpha.reciprocal()


@_mean_log.register(Uniform)
def _(p: Uniform) -> Tensor:
    return (_x_log_x(p.high) - _x_log_x(p.low)) / (p.high - p.low) - 1


@singledispatch
def _mean_exponential(p: Any, loc: Tensor, scale: Tensor) -> Tensor:
    """The mean of exp(-(x - loc) / scale)."""
    raise NotImplementedError


@_mean_exponential.register(Exponential)
def _(p: Exponential, loc: Tensor, scale: Tensor) -> Tensor:
    product = p.rate * scale
    return (loc / scale).exp() * product / (product + 1)


@_mean_exponential.register(Gamma)
def _(p: Gamma, loc: Tensor, scale: Tensor) -> Tensor:
    return (loc / scale - p.concentration * (p.rate * scale).reciprocal().log1p()).exp()


@_mean_exponential.register(Normal)
def _(p: Normal, loc: Tensor, scale: Tensor) -> Tensor:
    return ((loc - p.loc) / scale + 0.5 * (p.scale / scale).pow(2)).exp()


@_mean_exponential.register(Uniform)
def _(p: Uniform, loc: Tensor, scale: Tensor) -> Tensor:
    return (((loc - p.low) / scale).exp() - ((loc - p.high) / scale).exp()) * scale / (p.high - p.low)


@_from(Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform, to=Normal)
def _to_normal(p: Any, q: Normal) -> Tensor:
    squares = (p.variance + (p.mean - q.loc).pow(2)) / q.variance
    return 0.5 * (squares + math.log(2 * math.pi)) + q.scale.log() - p.entropy()


@_from(Beta, ContinuousBernoulli, Gamma, Pareto, Uniform, to=Exponential)
def _to_exponential(p: Any, q: Exponential) -> Tensor:
    result = q.rate * p.mean - q.rate.log() - p.entropy()
    return _infinite_below(p, 0.0, result)


@_from(Exponential, Pareto, Uniform, to=Gamma)
def _to_gamma(p: Any, q: Gamma) -> Tensor:
    normaliser = ops.lgamma(q.concentration) - q.concentration * q.rate.log()
    result = normaliser - (q.concentration - 1) * _mean_log(p) + q.rate * p.mean - p.entropy()
    return _infinite_below(p, 0.0, result)


@_from(Exponential, Gamma, Normal, Uniform, to=Gumbel)
def _to_gumbel(p: Any, q: Gumbel) -> Tensor:
    linear = (p.mean - q.loc) / q.scale
    return linear + _mean_exponential(p, q.loc, q.scale) + q.scale.log() - p.entropy()


@register_kl(Normal, Laplace)
def _normal_to_laplace(p: Normal, q: Laplace) -> Tensor:
    """The mean of |x - q.loc| is that of a folded normal distribution."""
    difference = p.loc - q.loc
    scaled = difference / p.scale
    folded = math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp() + difference * ops.erf(
        scaled / math.sqrt(2)
    )
    return folded / q.scale + (2 * q.scale).log() - p.entropy()


@_from(Beta, ContinuousBernoulli, to=Uniform)
def _to_uniform(p: Any, q: Uniform) -> Tensor:
    result = (q.high - q.low).log() - p.entropy()
    return result.masked_fill((q.low > 0) | (q.high < 1), math.inf)


@register_kl(Uniform, Pareto)
def _uniform_to_pareto(p: Uniform, q: Pareto) -> Tensor:
    result = (q.alpha + 1) * _mean_log(p) - q.alpha * q.scale.log() - q.alpha.log() - p.entropy()
    return result.masked_fill(p.low < q.scale, math.inf)


@register_kl(Uniform, Beta)
def _uniform_to_beta(p: Uniform, q: Beta) -> Tensor:
    """The mean of log(1 - x) is that of log(x) between 1 - high and 1 - low."""
    a, b = q.concentration1, q.concentration0
    mirrored = (_x_log_x(1 - p.low) - _x_log_x(1 - p.high)) / (p.high - p.low) - 1
    normaliser = ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
    result = normaliser - (a - 1) * _mean_log(p) - (b - 1) * mirrored - p.entropy()
    return _infinite_outside_unit(p, result)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_to_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    result = -p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm() - p.entropy()
    return _infinite_outside_unit(p, result)


def _infinite_below(p: Any, lower_bound: float, result: Tensor) -> Tensor:
    """The result, and infinity where a uniform p has values less than those of q; others here have none."""
    return result.masked_fill(p.low < lower_bound, math.inf) if isinstance(p, Uniform) else result


def _infinite_outside_unit(p: Uniform, result: Tensor) -> Tensor:
    return result.masked_fill((p.low < 0) | (p.high > 1), math.inf)


@_from(Beta, ContinuousBernoulli, to=Pareto)
@_from(Exponential, Gamma, to=Beta)
@_from(Exponential, Gamma, to=ContinuousBernoulli)
@_from(Exponential, Gamma, to=Pareto)
@_from(Exponential, Gamma, to=Uniform)
@_from(Pareto, to=Beta)
@_from(Pareto, to=ContinuousBernoulli)
@_from(Pareto, to=Uniform)
def _never_inside(p: Any, q: Any) -> Tensor:
    """p always has values that q cannot have."""
    return _infinite_like(p.mean)


@_from(Gumbel, Laplace, Normal, to=Beta)
@_from(Gumbel, Laplace, Normal, to=ContinuousBernoulli)
@_from(Gumbel, Laplace, Normal, to=Exponential)
@_from(Gumbel, Laplace, Normal, to=Gamma)
@_from(Gumbel, Laplace, Normal, to=Pareto)
@_from(Gumbel, Laplace, Normal, to=Uniform)
def _all_numbers(p: Any, q: Any) -> Tensor:
    """p has negative numbers and numbers as great as you like; q has not."""
    return _infinite_like(p.loc)
