"""The Cauchy distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import full
from .. import constraints
from ..distribution import Distribution
from ..parameters import broadcast_all

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy (Lorentz) distribution: that of the ratio of two independent normal numbers of mean zero.

    Formula: p(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2))

    It has no mean, and its variance is infinite.

    Args:
        loc: the median.
        scale: half the width at half of the maximum, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Loc and scale broadcast; their shape is the batch shape.

    Raises:
        ValueError: a scale that is not positive.

    Example:
        >>> import specgrad as sg
        >>> cauchy = sg.distributions.Cauchy(0.0, 1.0)
        >>> cauchy.log_prob(sg.tensor(1.0)), cauchy.cdf(sg.tensor(1.0))
        (tensor(-1.8379), tensor(0.7500))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return full(self._extended_shape(), math.inf, dtype=self.loc.dtype, device=self.loc.device)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expanded(Cauchy, batch_shape, _instance, "loc", "scale")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - ((value - self.loc) / self.scale).pow(2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
