"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import as_tensor
from ....runtime.creation.implicit import _standard_gamma
from ....runtime.tensor.dtypes import finfo
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..exp_family import ExponentialFamily
from ..parameters import broadcast_all

__all__ = ["Gamma"]


def at_least_tiny(value: Tensor) -> Tensor:
    """Numbers that are too small for their dtype are the least normal one, in place; gradients take no notice."""
    value.data.clamp_(min=finfo(value.dtype).tiny)
    return value


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Formula: p(x) = rate^concentration x^(concentration - 1) exp(-rate x) / gamma(concentration)

    Args:
        concentration: the shape, positive.
        rate: the inverse of the scale, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Concentration and rate broadcast; their shape is the batch shape.

    Raises:
        ValueError: a parameter that is not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> gamma = sg.distributions.Gamma(2.0, 4.0)
        >>> gamma.mean, gamma.variance, gamma.log_prob(sg.tensor(0.5))
        (tensor(0.5000), tensor(0.1250), tensor(0.0794))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        numbers = isinstance(concentration, Number) and isinstance(rate, Number)
        super().__init__(Size() if numbers else self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new, shape = self._get_checked_instance(Gamma, _instance), Size(batch_shape)
        new.concentration, new.rate = self.concentration.expand(shape), self.rate.expand(shape)
        super(Gamma, new).__init__(shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return at_least_tiny(_standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape))

    def log_prob(self, value: Any) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        powers = self.concentration.xlogy(self.rate) + (self.concentration - 1).xlogy(value)
        return powers - self.rate * value - self.concentration.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ops.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1 - shape) * shape.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return (x + 1).lgamma() - (x + 1) * (-y).log()
