"""The Pareto distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from .. import constraints
from ..parameters import broadcast_all
from ..transformed_distribution import TransformedDistribution
from ..transforms import AffineTransform, ExpTransform
from .exponential import Exponential

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """The Pareto distribution of type 1.

    Formula: p(x) = alpha scale^alpha / x^(alpha + 1) for x >= scale

    Args:
        scale: the least value, positive.
        alpha: how fast the tail falls, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Scale and alpha broadcast; their shape is the batch shape.

    Raises:
        ValueError: a parameter that is not positive.

    Example:
        >>> import specgrad as sg
        >>> pareto = sg.distributions.Pareto(1.0, 2.0)
        >>> pareto.mean, pareto.variance, pareto.cdf(sg.tensor(2.0))
        (tensor(2.), tensor(inf), tensor(0.7500))
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Pareto, _instance)
        new.scale, new.alpha = self.scale.expand(batch_shape), self.alpha.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Tensor:
        alpha = self.alpha.clamp(min=1)  # at which the mean is infinite
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)  # at which the variance is infinite
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
