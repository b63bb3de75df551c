"""Covariances and correlations, composed of means and a matrix product."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..dtypes import get_default_dtype
from ..namespace import op
from ..user_warning import warn_user
from .formulas_reductions import conjugate

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def covariance(self: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """Rows are variables, columns observations, each counted `fweights` times and weighted by `aweights`."""
    x = self if self.dtype.kind in "fc" else self.to(get_default_dtype())
    x = x.reshape((1, x.numel())) if x.ndim < 2 else x
    if fweights is None and aweights is None:
        centred = x - op.mean(x, 1, True)
        return covariance_of(centred, centred, x._shape[1] - correction)
    weight = joint_weight(fweights, aweights)
    total = weight.sum()
    centred = x - op.sum(x * weight, 1, True) / total
    share = 1 if aweights is None else op.sum(weight * aweights.reshape(-1)) / total
    free = total - correction * share if correction else total
    return covariance_of(centred, centred * weight, free)


def joint_weight(fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """The product of the weights that are given, in a vector."""
    given = [weight.reshape(-1) for weight in (fweights, aweights) if weight is not None]
    return given[0] if len(given) == 1 else given[0] * given[1]


def covariance_of(centred: Tensor, weighted: Tensor, free: Any) -> Tensor:
    """The product of two matrices of deviations, divided by the degrees of freedom, which are not negative."""
    if not getattr(free, "is_example", False) and free <= 0:
        warn_user(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
        free = 0
    return (centred.mm(conjugate(weighted).t()) / free).squeeze()


def correlation(self: Tensor) -> Tensor:
    """Covariances divided by both standard deviations; rounding leaves none outside [-1, 1]."""
    matrix = covariance(self, 1, None, None)
    if not matrix.ndim:
        return matrix / matrix
    variances = matrix.diagonal()
    deviations = (op.real_copy(variances) if matrix.is_complex() else variances).sqrt()
    scaled = matrix / deviations.unsqueeze(1) / deviations
    if not scaled.is_complex():
        return scaled.clamp(-1, 1)
    return op.real_copy(scaled).clamp(-1, 1) + 1j * op.imag_copy(scaled).clamp(-1, 1)
