"""The Gumbel distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import full_like, ones_like
from ....runtime.tensor.dtypes import finfo
from .. import constraints
from ..parameters import broadcast_all, euler_constant
from ..transformed_distribution import TransformedDistribution
from ..transforms import AffineTransform, ExpTransform
from .uniform import Uniform

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The Gumbel distribution: of the greatest of many numbers.

    Formula: p(x) = exp(-z - exp(-z)) / scale with z = (x - loc) / scale

    Args:
        loc: the mode.
        scale: the scale, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Loc and scale broadcast; their shape is the batch shape.

    Raises:
        ValueError: a scale that is not positive.

    Example:
        >>> import specgrad as sg
        >>> gumbel = sg.distributions.Gumbel(0.0, 1.0)
        >>> gumbel.mean, gumbel.log_prob(sg.tensor(0.0)), gumbel.cdf(sg.tensor(0.0))
        (tensor(0.5772), tensor(-1.), tensor(0.3679))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        ends = full_like(self.loc, limits.tiny), full_like(self.loc, 1 - limits.eps)
        log, turned = ExpTransform().inv, AffineTransform(loc=0, scale=-ones_like(self.scale))
        transforms = [log, turned, log, AffineTransform(loc=self.loc, scale=-self.scale)]
        super().__init__(Uniform(*ends, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        turned = (self.loc - value) / self.scale
        return turned - turned.exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (-((self.loc - value) / self.scale).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * (-value.log()).log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
