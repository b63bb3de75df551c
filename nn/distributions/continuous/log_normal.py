"""The log-normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from .. import constraints
from ..transformed_distribution import TransformedDistribution
from ..transforms import ExpTransform
from .normal import Normal

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The distribution of exp(x) for x from Normal(loc, scale).

    Formula: p(y) = exp(-((log(y) - loc) / scale)^2 / 2) / (y scale sqrt(2 pi))

    Args:
        loc: the mean of the logarithm.
        scale: the standard deviation of the logarithm, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Loc and scale broadcast; their shape is the batch shape.

    Raises:
        ValueError: a scale that is not positive.

    Example:
        >>> import specgrad as sg
        >>> log_normal = sg.distributions.LogNormal(0.0, 1.0)
        >>> log_normal.mean, log_normal.mode, log_normal.cdf(sg.tensor(1.0))
        (tensor(1.6487), tensor(0.3679), tensor(0.5000))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogNormal, _instance))

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        found: Tensor = self.base_dist.loc
        return found

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        found: Tensor = self.base_dist.scale
        return found

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
