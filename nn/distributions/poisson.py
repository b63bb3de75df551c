"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated.tensor import Tensor
from ...runtime.ops.creation import poisson
from ...runtime.tensor.grad_mode import no_grad
from . import constraints
from .base.parameters import alias, broadcast_all, derived
from .base.parametric import Parametric, parameter
from .independent import ExponentialFamily

__all__ = ["Poisson"]


class Poisson(ExponentialFamily, Parametric):
    """The Poisson distribution: the number of events where `rate` are expected.

    Formula: p(k) = rate^k exp(-rate) / k!

    Args:
        rate: the expected number, not negative.

    Shape: The shape of rate is the batch shape.

    Example:
        >>> poisson = sg.distributions.Poisson(4.0)
        >>> poisson.variance, poisson.log_prob(sg.tensor(2.0))
        (tensor(4.), tensor(-1.9206))
    """

    rate = parameter(constraints.nonnegative)
    support = constraints.nonnegative_integer

    mean = alias("rate")
    mode = derived(lambda self: self.rate.floor())
    variance = alias("rate")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    _natural_params = derived(lambda self: (self.rate.log(),))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp()
