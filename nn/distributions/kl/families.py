"""Divergences of two distributions of one family, or of families that are alike."""

import math

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.namespace import op
from ..base.parameters import euler_constant
from ..base.parametric import ByProbability
from ..bernoulli import Bernoulli, Binomial, Geometric, Poisson, poisson_log_prob
from ..beta import Beta, Dirichlet
from ..categorical import Categorical, OneHotCategorical
from ..cauchy import Cauchy, Gumbel, Uniform
from ..exponential import Exponential, Pareto
from ..gamma import Gamma, digamma_shift
from ..multivariate_normal import LowRankMultivariateNormal, MultivariateNormal, _batch_trace_XXT
from ..normal import HalfNormal, Laplace, Normal
from ..unit_interval import ContinuousBernoulli
from ..wishart import Wishart
from .registry import _infinite_like, register_kl

_Gaussian = MultivariateNormal | LowRankMultivariateNormal


@register_kl(Normal, Normal)
def _kl_normal_normal(p: Normal, q: Normal) -> Tensor:
    scales = p.scale / q.scale
    return 0.5 * (scales.pow(2) + ((p.loc - q.loc) / q.scale).pow(2) - 1) - scales.log()


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
    difference, scales = (p.loc - q.loc).abs(), p.scale / q.scale
    return difference / q.scale + scales * (-difference / p.scale).exp() - 1 - scales.log()


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    """The mean of exp(-(x - p.loc) / q.scale) under p is Gamma(1 + p.scale / q.scale)."""
    scales, difference = p.scale / q.scale, (p.loc - q.loc) / q.scale
    exponential = (ops.lgamma(1 + scales) - difference).exp()
    return difference + scales * euler_constant + exponential - scales.log() - (1 + euler_constant)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """From Chyzak and Nielsen, "A closed-form formula for the KL divergence between Cauchy distributions", 2019."""
    distance = ops.hypot(p.scale + q.scale, p.loc - q.loc)
    return 2 * distance.log() - math.log(4) - p.scale.log() - q.scale.log()


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


def _term(value: Tensor, p: Tensor, q: Tensor) -> Tensor:
    """A term of a sum over outcomes: 0 where p has none of it, else infinite where q has none of it."""
    return value.masked_fill(q == 0, math.inf).masked_fill(p == 0, 0)


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    return _kl_of_events(p, q)


def _kl_of_events(p: ByProbability, q: ByProbability) -> Tensor:
    (log_p, log_not_p), (log_q, log_not_q) = p._logs(), q._logs()
    ones, zeros = p.probs * (log_p - log_q), p._complement() * (log_not_p - log_not_q)
    return _term(ones, p.probs, q.probs) + _term(zeros, p._complement(), q._complement())


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p: Binomial, q: Binomial) -> Tensor:
    """That of as many Bernoulli trials; infinite where p has more of them than q."""
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    return (p.total_count * _kl_of_events(p, q)).masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p: Categorical, q: Categorical) -> Tensor:
    difference = p._finite_log_probs() - q._finite_log_probs()
    return _term(p.probs * difference, p.probs, q.probs).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    norms = p._cont_bern_log_norm() - q._cont_bern_log_norm()
    return p.mean * (p.logits - q.logits) + norms + (-p.probs).log1p() - (-q.probs).log1p()


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p: Geometric, q: Geometric) -> Tensor:
    return _kl_of_events(p, q) / p.probs


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p: Poisson, q: Poisson) -> Tensor:
    return poisson_log_prob(p.rate, p.rate) - poisson_log_prob(p.rate, q.rate)


@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return q.rate - p.probs.xlogy(q.rate) - p.entropy()


@register_kl(Poisson, Bernoulli)
@register_kl(Poisson, Binomial)
def _kl_poisson_infinity(p: Poisson, q: Bernoulli | Binomial) -> Tensor:
    return _infinite_like(p.rate)


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p: Gamma, q: Gamma) -> Tensor:
    """log p at its mean less log q there, and what both are less on average."""
    a, b = p.concentration, q.concentration
    at_mean = op.gamma_log_prob(p.mean, a, p.rate) - op.gamma_log_prob(p.mean, b, q.rate)
    return at_mean + (b - a) * digamma_shift(a)


@register_kl(Beta, Beta)
def _kl_beta_beta(p: Beta, q: Beta) -> Tensor:
    return _kl_dirichlet_dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    return p._mean_log_prob(p.concentration) - p._mean_log_prob(q.concentration)


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
    return _infinite_like(p.concentration)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate_normal(p: _Gaussian, q: _Gaussian) -> Tensor:
    """(log |Q| - log |P| + tr(Q^-1 P) + (q.loc - p.loc)^T Q^-1 (q.loc - p.loc) - n) / 2, P and Q the covariances."""
    if p.event_shape != q.event_shape:
        kinds = " and ".join(dict.fromkeys(_KIND[isinstance(d, LowRankMultivariateNormal)] for d in (p, q)))
        raise ValueError(f"KL-divergence between two {kinds} with different event shapes cannot be computed")
    trace = sum(_trace(q, root) for root in _roots(p))
    return 0.5 * (q._log_det() - p._log_det() + trace + q._mahalanobis(q.loc - p.loc) - p.event_shape[0])


_KIND = {False: "Multivariate Normals", True: "Low Rank Multivariate Normals"}


def _roots(d: _Gaussian) -> list[Tensor]:
    """Matrices R whose products R R^T have the covariance as their sum."""
    if isinstance(d, LowRankMultivariateNormal):
        return [d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag.sqrt().diag_embed()]
    return [d._unbroadcasted_scale_tril]


def _trace(d: _Gaussian, root: Tensor) -> Tensor:
    """tr(R^T C^-1 R), C the covariance."""
    if not isinstance(d, LowRankMultivariateNormal):
        return _batch_trace_XXT(ops.linalg_solve_triangular(d._unbroadcasted_scale_tril, root, upper=False))
    diag = d._unbroadcasted_cov_diag.unsqueeze(-1)
    projected = (d._unbroadcasted_cov_factor / diag).mT @ root
    inner = ops.linalg_solve_triangular(d._capacitance_tril, projected, upper=False)
    return _batch_trace_XXT(root / diag.sqrt()) - _batch_trace_XXT(inner)  # the Woodbury identity
