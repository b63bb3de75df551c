"""The generalized Pareto distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import rand
from .. import constraints
from ..distribution import Distribution
from ..parameters import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution: of what exceeds a high threshold.

    Formula: P(X > x) = (1 + c z)^(-1 / c) with z = (x - loc) / scale and c = concentration; exp(-z) where c is zero

    At concentration 0 it is exponential, at -1 uniform, and for positive ones a Pareto distribution.

    Args:
        loc: the least value.
        scale: the scale, positive.
        concentration: the shape; for negative ones the greatest value is loc - scale / concentration.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        All broadcast; their shape is the batch shape.

    Raises:
        ValueError: a scale that is not positive.

    Example:
        >>> import specgrad as sg
        >>> tail = sg.distributions.GeneralizedPareto(0.0, 1.0, 0.5)
        >>> tail.mean, tail.cdf(sg.tensor(2.0)), tail.entropy()
        (tensor(2.), tensor(0.7500), tensor(1.5000))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expanded(GeneralizedPareto, batch_shape, _instance, "loc", "scale", "concentration")

    def _shape(self) -> tuple[Tensor, Tensor]:
        """Where the concentration is zero, to rounding, and the concentration with ones there."""
        zero = self.concentration.abs() <= 1e-8
        return zero, self.concentration.masked_fill(zero, 1.0)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, shape) = (value - self.loc) / self.scale, self._shape()
        power = 1 / shape + 1
        falling = ops.where(power == 0, 0.0, power * (shape * z).log1p())  # the uniform distribution up to its end
        return -self.scale.log() - ops.where(zero, z, falling)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of more than `value`.

        Args:
            value: numbers.
        """
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, shape) = (value - self.loc) / self.scale, self._shape()
        return ops.where(zero, -z, -(shape * z).log1p() / shape)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of `cdf`.

        Args:
            value: numbers.
        """
        return self.cdf(value).log()

    def cdf(self, value: Tensor) -> Tensor:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        (zero, shape), survival = self._shape(), (-value).log1p()
        return self.loc + self.scale * ops.where(zero, -survival, (-shape * survival).expm1() / shape)

    @property
    def mean(self) -> Tensor:
        finite = self.concentration < 1
        mean = self.loc + self.scale / (1 - self.concentration)
        return ops.where(finite, mean, math.nan)

    @property
    def variance(self) -> Tensor:
        finite, shape = self.concentration < 0.5, self.concentration
        variance = self.scale.pow(2) / ((1 - shape).pow(2) * (1 - 2 * shape))
        return ops.where(finite, variance, math.nan)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, ops.where(self.concentration < 0, end, math.inf))
