"""Covariances and correlations, what they are divided by and bounded to."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op
from ...user_warning import warn_user

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def joint_weight(fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    """The product of the weights that are given, in a vector; None where none is."""
    if fweights is None:
        return None if aweights is None else aweights.reshape(-1)
    return fweights.reshape(-1) if aweights is None else fweights.reshape(-1) * aweights.reshape(-1)


def degrees_of_freedom(free: Any) -> Any:
    """The number that covariances are divided by: 0, with a warning, in place of a negative one."""
    if not getattr(free, "is_example", False) and free <= 0:
        warn_user(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
        return 0
    return free


def correlation_of_covariance(matrix: Tensor) -> Tensor:
    """R_ij = C_ij / sqrt(C_ii C_jj), C_ii / C_ii of one variable; rounding leaves no part outside [-1, 1]."""
    if not matrix.ndim:
        return matrix / matrix
    variances = matrix.diagonal()
    deviations = (op.real_copy(variances) if matrix.is_complex() else variances).sqrt()
    scaled = matrix / deviations.unsqueeze(1) / deviations
    if not scaled.is_complex():
        return scaled.clamp(-1, 1)
    return op.real_copy(scaled).clamp(-1, 1) + 1j * op.imag_copy(scaled).clamp(-1, 1)
