"""The multivariate normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.functions.several import broadcast_shapes
from .. import constraints
from ..distribution import Distribution
from ..parameters import _standard_normal, lazy_property
from .gaussian_algebra import _batch_mahalanobis, _batch_mv, _log_diagonal, _precision_to_scale_tril

__all__ = ["MultivariateNormal"]


class MultivariateNormal(Distribution):
    """The multivariate normal (Gaussian) distribution with a full covariance.

    Formula: p(x) = exp(-(x - loc)^T C^-1 (x - loc) / 2) / sqrt((2 pi)^D |C|)

    Exactly one of the matrices is given. The lower triangular factor is what is computed with, so it costs least.

    Args:
        loc: the mean, (..., D).
        covariance_matrix: C, positive definite.
        precision_matrix: C^-1, positive definite.
        scale_tril: the lower triangular L with C = L L^T and a positive diagonal.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The matrices are (..., D, D), and their batch broadcasts with that of loc.

    Raises:
        ValueError: none or several matrices, too few dimensions, or a matrix that is none of the kind.

    Example:
        >>> import specgrad as sg
        >>> normal = sg.distributions.MultivariateNormal(sg.zeros(2), covariance_matrix=4 * sg.eye(2))
        >>> normal.event_shape, normal.log_prob(sg.zeros(2)), normal.variance
        (specgrad.Size([2]), tensor(-3.2242), tensor([4., 4.]))
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = _the_one(
            covariance_matrix=covariance_matrix, scale_tril=scale_tril, precision_matrix=precision_matrix
        )
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        vars(self)[name] = matrix.expand(batch_shape + tuple(matrix.shape[-2:]))
        self.loc = loc.expand(batch_shape + tuple(loc.shape[-1:]))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = ops.linalg_cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        matrices = ("covariance_matrix", "scale_tril", "precision_matrix")
        new = self._get_checked_instance(MultivariateNormal, _instance)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return self._expanded(MultivariateNormal, batch_shape, new, "loc", *matrices)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        tril = self._unbroadcasted_scale_tril
        return self._square(tril @ tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return self._square(ops.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _square(self, matrices: Tensor) -> Tensor:
        """Matrices that were computed for less than the batch, as a view for all of it."""
        return matrices.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn = _standard_normal(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, drawn)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = _log_diagonal(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det

    def entropy(self) -> Tensor:
        half_log_det = _log_diagonal(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return entropy.expand(self._batch_shape)


def _the_one(**matrices: Tensor | None) -> tuple[str, Tensor]:
    """The one matrix that was given, with its name."""
    given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    if len(given) != 1:
        raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    name, matrix = given[0]
    if matrix.dim() < 2:
        said = "scale_tril matrix" if name == "scale_tril" else name
        raise ValueError(f"{said} must be at least two-dimensional, with optional leading batch dimensions")
    return name, matrix
