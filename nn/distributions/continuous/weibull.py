"""The Weibull distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import ones_like
from .. import constraints
from ..parameters import broadcast_all, euler_constant
from ..transformed_distribution import TransformedDistribution
from ..transforms import AffineTransform, PowerTransform
from .exponential import Exponential

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution with two parameters: of waiting for what happens at a rate that changes as a power.

    Formula: p(x) = k / scale (x / scale)^(k - 1) exp(-(x / scale)^k) with k = concentration

    Args:
        scale: the scale, positive.
        concentration: the shape; at 1 it is an exponential distribution.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Scale and concentration broadcast; their shape is the batch shape.

    Raises:
        ValueError: a parameter that is not positive.

    Example:
        >>> import specgrad as sg
        >>> weibull = sg.distributions.Weibull(2.0, 1.0)
        >>> weibull.mean, weibull.variance, weibull.entropy()
        (tensor(2.), tensor(4.), tensor(1.6931))
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        power = PowerTransform(exponent=self.concentration_reciprocal)
        super().__init__(base, [power, AffineTransform(loc=0, scale=self.scale)], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale, new.concentration = self.scale.expand(batch_shape), self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Tensor:
        return self.scale * self._standard_moment(1)

    @property
    def mode(self) -> Tensor:
        power = self.concentration_reciprocal
        return self.scale * ((self.concentration - 1) / self.concentration).pow(power)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (self._standard_moment(2) - self._standard_moment(1).square())

    def _standard_moment(self, order: int) -> Tensor:
        """The mean of x^order for the scale one."""
        return ops.lgamma(1 + order * self.concentration_reciprocal).exp()

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1
