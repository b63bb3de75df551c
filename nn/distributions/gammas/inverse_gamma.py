"""The inverse gamma distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from .. import constraints
from ..transformed_distribution import TransformedDistribution
from ..transforms import PowerTransform
from .gamma import Gamma

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The inverse gamma distribution: of 1 / x for x of Gamma(concentration, rate).

    Formula: p(x) = rate^concentration x^(-concentration - 1) exp(-rate / x) / gamma(concentration)

    Args:
        concentration: the shape, positive.
        rate: the scale of the inverse, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Concentration and rate broadcast; their shape is the batch shape.

    Raises:
        ValueError: a parameter that is not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> inverse = sg.distributions.InverseGamma(3.0, 4.0)
        >>> inverse.mean, inverse.mode, inverse.variance
        (tensor(2.), tensor(1.), tensor(4.))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self) -> Tensor:
        """The shape."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The scale of the inverse."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        return (self.rate / (self.concentration - 1)).masked_fill(self.concentration <= 1, math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        shape = self.concentration
        finite = self.rate.square() / ((shape - 1).square() * (shape - 2))
        return finite.masked_fill(shape <= 2, math.inf)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()
