"""The beta distribution."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import tensor
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..exp_family import ExponentialFamily
from ..multivariate.dirichlet import Dirichlet
from ..parameters import broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution, of numbers between zero and one.

    Formula: p(x) = x^(concentration1 - 1) (1 - x)^(concentration0 - 1) / B(concentration1, concentration0)

    Args:
        concentration1: the first shape, often called alpha, positive.
        concentration0: the second shape, often called beta, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Both concentrations broadcast; their shape is the batch shape.

    Raises:
        ValueError: a concentration that is not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> beta = sg.distributions.Beta(2.0, 3.0)
        >>> beta.mean, beta.mode, beta.log_prob(sg.tensor(0.5))
        (tensor(0.4000), tensor(0.3333), tensor(0.4055))
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, Number) and isinstance(concentration0, Number):
            both = tensor([float(concentration1), float(concentration0)])  # type: ignore[arg-type]
        else:
            both = ops.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new, shape = self._get_checked_instance(Beta, _instance), Size(batch_shape)
        new._dirichlet = self._dirichlet.expand(shape)
        super(Beta, new).__init__(shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def concentration1(self) -> Tensor:
        """The first shape."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The second shape."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(ops.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
