"""The multivariate normal distribution whose covariance has low rank but for a diagonal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import eye
from ....runtime.functions.several import broadcast_shapes
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..parameters import _standard_normal, lazy_property
from .gaussian_algebra import (
    _batch_capacitance_tril,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
    _batch_mv,
)

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """The multivariate normal distribution with the covariance W W^T + diag(D).

    With W of few columns, m of them, nothing of the size n x n is computed for samples and densities, only systems of
    m equations (the Woodbury identity and the matrix determinant lemma).

    Args:
        loc: the mean, (..., n).
        cov_factor: W, (..., n, m).
        cov_diag: D, (..., n), positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The batches of the three broadcast.

    Raises:
        ValueError: shapes that do not fit, or a diagonal that is not positive.

    Example:
        >>> import specgrad as sg
        >>> factor = sg.tensor([[1.0], [0.0]])
        >>> normal = sg.distributions.LowRankMultivariateNormal(sg.zeros(2), factor, sg.ones(2))
        >>> normal.covariance_matrix, normal.log_prob(sg.zeros(2))
        (tensor([[2., 0.],
                [0., 1.]]), tensor(-2.1845))
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        batch, event = _shapes(loc, cov_factor, cov_diag)
        self.loc = loc.expand(batch + event)
        self.cov_diag = cov_diag.expand(batch + event)
        self.cov_factor = cov_factor.expand(batch + tuple(cov_factor.shape[-2:]))
        super().__init__(batch, event, validate_args=validate_args)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        return self._expanded(LowRankMultivariateNormal, batch_shape, new, "loc", "cov_diag", "cov_factor")

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return squares.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        # W W^T + D = sqrt(D) (I + V V^T) sqrt(D) with V = W / sqrt(D); the matrix in brackets is well conditioned.
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        inner = scaled @ scaled.mT + eye(self._event_shape[0], dtype=scaled.dtype, device=scaled.device)
        return self._square(root * ops.linalg_cholesky(inner))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return self._square(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        diag = self._unbroadcasted_cov_diag
        scaled = self._unbroadcasted_cov_factor.mT / diag.unsqueeze(-2)
        solved = ops.linalg_solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._square(diag.reciprocal().diag_embed() - solved.mT @ solved)

    def _square(self, matrices: Tensor) -> Tensor:
        """Matrices that were computed for less than the batch, as a view for all of it."""
        return matrices.expand(self._batch_shape + self._event_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape, factor = self._extended_shape(sample_shape), self._unbroadcasted_cov_factor
        low = _standard_normal(shape[:-1] + tuple(factor.shape[-1:]), dtype=self.loc.dtype, device=self.loc.device)
        own = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(factor, low) + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        distance = _batch_lowrank_mahalanobis(*parts, value - self.loc, self._capacitance_tril)
        log_det = _batch_lowrank_logdet(*parts, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self) -> Tensor:
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        log_det = _batch_lowrank_logdet(*parts, self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return entropy.expand(self._batch_shape)


def _shapes(loc: Tensor, cov_factor: Tensor, cov_diag: Tensor) -> tuple[Size, Size]:
    """Batch and event shape; shapes that do not fit are refused."""
    event = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2:-1] != event:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
    if cov_diag.shape[-1:] != event:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
    try:
        batch = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
    except RuntimeError:
        raise ValueError(
            f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
        ) from None
    return Size(batch), event
