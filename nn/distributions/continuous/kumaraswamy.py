"""The Kumaraswamy distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import full_like
from .. import constraints
from ..parameters import broadcast_all, euler_constant
from ..transformed_distribution import TransformedDistribution
from ..transforms import AffineTransform, PowerTransform
from .uniform import Uniform

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution, which is like a beta distribution and has a simple cdf.

    Formula: p(x) = a b x^(a - 1) (1 - x^a)^(b - 1) with a = concentration1 and b = concentration0

    Args:
        concentration1: a, positive.
        concentration0: b, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Both broadcast; their shape is the batch shape.

    Raises:
        ValueError: a parameter that is not positive.

    Example:
        >>> import specgrad as sg
        >>> kumaraswamy = sg.distributions.Kumaraswamy(1.0, 2.0)
        >>> kumaraswamy.mean, kumaraswamy.cdf(sg.tensor(0.5))
        (tensor(0.3333), tensor(0.7500))
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        ends = full_like(self.concentration0, 0), full_like(self.concentration0, 1)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(*ends, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def _moment(self, order: int) -> Tensor:
        """The mean of x^order: b B(1 + order / a, b)."""
        first, b = 1 + order / self.concentration1, self.concentration0
        return (b.log() + ops.lgamma(first) + ops.lgamma(b) - ops.lgamma(first + b)).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        inner = ((a - 1) / (a * b - 1)).pow(a.reciprocal())
        return inner.masked_fill((a < 1) | (b < 1), math.nan)  # the greatest densities are at the ends

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = ops.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
