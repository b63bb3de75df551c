"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import poisson
from ....runtime.modes.grad_mode import no_grad
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..exp_family import ExponentialFamily
from ..parameters import broadcast_all

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The Poisson distribution: the number of events where `rate` are expected.

    Formula: p(k) = rate^k exp(-rate) / k!

    Args:
        rate: the expected number, not negative.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The shape of rate is the batch shape.

    Raises:
        ValueError: a rate that is negative or NaN.

    Example:
        >>> import specgrad as sg
        >>> poisson = sg.distributions.Poisson(4.0)
        >>> poisson.variance, poisson.log_prob(sg.tensor(2.0))
        (tensor(4.), tensor(-1.9206))
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(Size() if isinstance(rate, Number) else self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expanded(Poisson, batch_shape, _instance, "rate")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.rate.log(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp()
