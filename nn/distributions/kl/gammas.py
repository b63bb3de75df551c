"""Divergences among gamma, beta, Dirichlet and Wishart distributions."""

from __future__ import annotations

from ....generated import ops
from ....generated.tensor import Tensor
from ..discrete.continuous_bernoulli import ContinuousBernoulli
from ..gammas.beta import Beta
from ..gammas.gamma import Gamma
from ..multivariate.dirichlet import Dirichlet
from ..multivariate.wishart import Wishart
from .registry import _infinite_like, register_kl


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p: Gamma, q: Gamma) -> Tensor:
    shapes = (p.concentration - q.concentration) * p.concentration.digamma()
    volumes = q.concentration.lgamma() - p.concentration.lgamma()
    return shapes + volumes + q.concentration * (p.rate / q.rate).log() + (q.rate - p.rate) * p.mean


@register_kl(Beta, Beta)
def _kl_beta_beta(p: Beta, q: Beta) -> Tensor:
    return _kl_dirichlet_dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    logarithms = a.digamma() - a.sum(-1, True).digamma()  # the means of log x
    return q._log_normalizer(b) - p._log_normalizer(a) + ((a - b) * logarithms).sum(-1)


@register_kl(Wishart, Wishart)
def _kl_wishart_wishart(p: Wishart, q: Wishart) -> Tensor:
    """V and W the covariance matrices, of size n:

    df_q log(|W| / |V|) / 2 + df_p (tr(W^-1 V) - n) / 2 + log gamma_n(df_q / 2) - log gamma_n(df_p / 2)
    + (df_p - df_q) digamma_n(df_p / 2) / 2
    """
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two Wisharts with different event shapes cannot be computed")
    size, half = p._size, 0.5 * p.df
    trace = ops.cholesky_solve(p.covariance_matrix, q.scale_tril).diagonal(0, -2, -1).sum(-1)
    volumes = ops.mvlgamma(0.5 * q.df, size) - ops.mvlgamma(half, size)
    shapes = (half - 0.5 * q.df) * p._digammas()
    return q.df * (q._half_log_det() - p._half_log_det()) + half * (trace - size) + volumes + shapes


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p: Beta, q: Gamma) -> Tensor:
    logarithm = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    volume = q.concentration.lgamma() - q.concentration * q.rate.log()
    return volume - p.entropy() - (q.concentration - 1) * logarithm + q.rate * p.mean


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Tensor:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


@register_kl(Gamma, Beta)
@register_kl(Gamma, ContinuousBernoulli)
def _kl_gamma_infinity(p: Gamma, q: Beta | ContinuousBernoulli) -> Tensor:
    """Numbers of p have no bound."""
    return _infinite_like(p.concentration)
