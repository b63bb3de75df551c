"""Divergences among distributions of events, classes and counts."""

from __future__ import annotations

import math

from ....generated.tensor import Tensor
from ...functional import softplus
from ..discrete.bernoulli import Bernoulli
from ..discrete.binomial import Binomial
from ..discrete.categorical import Categorical
from ..discrete.continuous_bernoulli import ContinuousBernoulli
from ..discrete.geometric import Geometric
from ..discrete.one_hot_categorical import OneHotCategorical
from ..discrete.poisson import Poisson
from .registry import _infinite_like, register_kl


def _term(value: Tensor, p: Tensor, q: Tensor) -> Tensor:
    """A term of a sum over outcomes: 0 where p has none of it, else infinite where q has none of it."""
    return value.masked_fill(q == 0, math.inf).masked_fill(p == 0, 0)


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return _term(ones, p.probs, q.probs) + _term(zeros, 1 - p.probs, 1 - q.probs)


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p: Binomial, q: Binomial) -> Tensor:
    """That of as many Bernoulli trials; infinite where p has more of them than q."""
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    alone = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * alone).masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p: Categorical, q: Categorical) -> Tensor:
    return _term(p.probs * (p.logits - q.logits), p.probs, q.probs).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    norms = p._cont_bern_log_norm() - q._cont_bern_log_norm()
    return p.mean * (p.logits - q.logits) + norms + (-p.probs).log1p() - (-q.probs).log1p()


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Poisson, Bernoulli)
@register_kl(Poisson, Binomial)
def _kl_poisson_infinity(p: Poisson, q: Bernoulli | Binomial) -> Tensor:
    """Counts of p have no bound."""
    return _infinite_like(p.rate)
