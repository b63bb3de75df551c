"""The logistic normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from .. import constraints
from ..continuous.normal import Normal
from ..transformed_distribution import TransformedDistribution
from ..transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The distribution of probabilities that StickBreakingTransform makes of independent normal numbers.

    Args:
        loc: the means, (..., D).
        scale: the standard deviations, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Loc and scale broadcast to (..., D); an event has D + 1 probabilities.

    Raises:
        ValueError: a scale that is not positive.

    Example:
        >>> import specgrad as sg
        >>> logistic = sg.distributions.LogisticNormal(sg.zeros(2), sg.ones(2))
        >>> logistic.event_shape, logistic.log_prob(sg.ones(3) / 3)
        (specgrad.Size([3]), tensor(1.4580))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogisticNormal, _instance))

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers."""
        found: Tensor = self.base_dist.base_dist.loc
        return found

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal numbers."""
        found: Tensor = self.base_dist.base_dist.scale
        return found
