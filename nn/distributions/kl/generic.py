"""Divergences that hold for whole kinds of distributions: exponential families, transformed and independent ones."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ..exp_family import ExponentialFamily
from ..independent import Independent
from ..parameters import _sum_rightmost
from ..transformed_distribution import TransformedDistribution
from .registry import kl_divergence, register_kl


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """The Bregman divergence of the log-normaliser: F(theta_q) - F(theta_p) - <theta_q - theta_p, grad F(theta_p)>."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot "
            "be computed using Bregman divergences"
        )
    params, log_normalizer, means = p._normalizer_and_means()
    others = q._natural_params
    result = q._log_normalizer(*others) - log_normalizer
    for param, other, mean in zip(params, others, means, strict=True):
        result = result - _sum_rightmost((other - param) * mean, len(q.event_shape))
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """That of the bases: a bijective function of both distributions changes nothing."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    more = len(p.event_shape) - len(p.base_dist.event_shape)
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), more)


@register_kl(Independent, Independent)
def _kl_independent_independent(p: Independent, q: Independent) -> Tensor:
    """The sum over the values of an event."""
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
