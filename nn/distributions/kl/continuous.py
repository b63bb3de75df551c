"""Divergences of two distributions of one family of real numbers."""

from __future__ import annotations

import math

from ....generated import ops
from ....generated.tensor import Tensor
from ..continuous.cauchy import Cauchy
from ..continuous.exponential import Exponential
from ..continuous.gumbel import Gumbel
from ..continuous.half_normal import HalfNormal
from ..continuous.laplace import Laplace
from ..continuous.normal import Normal
from ..continuous.pareto import Pareto
from ..continuous.uniform import Uniform
from ..parameters import euler_constant
from .registry import register_kl


@register_kl(Normal, Normal)
def _kl_normal_normal(p: Normal, q: Normal) -> Tensor:
    variances = (p.scale / q.scale).pow(2)
    return 0.5 * (variances + ((p.loc - q.loc) / q.scale).pow(2) - 1 - variances.log())


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p: HalfNormal, q: HalfNormal) -> Tensor:
    """The ratio of the densities is that of the normal ones, which are symmetric."""
    return _kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(p: Exponential, q: Exponential) -> Tensor:
    rates = q.rate / p.rate
    return rates - 1 - rates.log()


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p: Laplace, q: Laplace) -> Tensor:
    """The mean of |x - q.loc| under p is d + p.scale exp(-d / p.scale), with the distance d of both means."""
    apart, scales = (p.loc - q.loc).abs(), p.scale / q.scale
    return apart / q.scale + scales * (-apart / p.scale).exp() - 1 - scales.log()


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    """The mean of exp(-(x - p.loc) / q.scale) under p is Gamma(1 + p.scale / q.scale)."""
    scales, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    exponential = (ops.lgamma(1 + scales) - apart).exp()
    return apart + scales * euler_constant + exponential - scales.log() - (1 + euler_constant)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """From Chyzak and Nielsen, "A closed-form formula for the KL divergence between Cauchy distributions", 2019."""
    squares = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return squares.log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p: Pareto, q: Pareto) -> Tensor:
    """The mean of log(x / p.scale) under p is 1 / p.alpha."""
    alphas = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() + alphas - 1 - alphas.log()
    return result.masked_fill(p.scale < q.scale, math.inf)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)
