"""Divergences of multivariate normal distributions, with a full covariance or one of low rank."""

from __future__ import annotations

from ....generated import ops
from ....generated.tensor import Tensor
from ..multivariate.gaussian_algebra import (
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
    _batch_mahalanobis,
    _batch_trace_XXT,
    _log_diagonal,
)
from ..multivariate.lowrank_multivariate_normal import LowRankMultivariateNormal
from ..multivariate.multivariate_normal import MultivariateNormal
from .registry import register_kl

Gaussian = MultivariateNormal | LowRankMultivariateNormal


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate_normal(p: Gaussian, q: Gaussian) -> Tensor:
    """(log |Q| - log |P| + tr(Q^-1 P) + (q.loc - p.loc)^T Q^-1 (q.loc - p.loc) - n) / 2, P and Q the covariances."""
    if p.event_shape != q.event_shape:
        kinds = " and ".join(dict.fromkeys(_KIND[isinstance(d, LowRankMultivariateNormal)] for d in (p, q)))
        raise ValueError(f"KL-divergence between two {kinds} with different event shapes cannot be computed")
    trace = sum(_trace(q, root) for root in _roots(p))
    return 0.5 * (_log_det(q) - _log_det(p) + trace + _mahalanobis(q, q.loc - p.loc) - p.event_shape[0])


_KIND = {False: "Multivariate Normals", True: "Low Rank Multivariate Normals"}


def _log_det(d: Gaussian) -> Tensor:
    """The logarithm of the determinant of the covariance."""
    if isinstance(d, LowRankMultivariateNormal):
        return _batch_lowrank_logdet(d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, d._capacitance_tril)
    return 2 * _log_diagonal(d._unbroadcasted_scale_tril)


def _mahalanobis(d: Gaussian, x: Tensor) -> Tensor:
    """x^T C^-1 x, C the covariance."""
    if isinstance(d, LowRankMultivariateNormal):
        parts = d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag
        return _batch_lowrank_mahalanobis(*parts, x, d._capacitance_tril)
    return _batch_mahalanobis(d._unbroadcasted_scale_tril, x)


def _roots(d: Gaussian) -> list[Tensor]:
    """Matrices R whose products R R^T have the covariance as their sum."""
    if isinstance(d, LowRankMultivariateNormal):
        return [d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag.sqrt().diag_embed()]
    return [d._unbroadcasted_scale_tril]


def _trace(d: Gaussian, root: Tensor) -> Tensor:
    """tr(R^T C^-1 R), C the covariance."""
    if not isinstance(d, LowRankMultivariateNormal):
        return _batch_trace_XXT(ops.linalg_solve_triangular(d._unbroadcasted_scale_tril, root, upper=False))
    diag = d._unbroadcasted_cov_diag.unsqueeze(-1)
    projected = (d._unbroadcasted_cov_factor / diag).mT @ root
    inner = ops.linalg_solve_triangular(d._capacitance_tril, projected, upper=False)
    return _batch_trace_XXT(root / diag.sqrt()) - _batch_trace_XXT(inner)  # the Woodbury identity
