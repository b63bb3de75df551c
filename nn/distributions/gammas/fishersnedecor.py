"""Fisher's and Snedecor's distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..parameters import broadcast_all
from .gamma import Gamma, at_least_tiny

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The F-distribution: of a number of Chi2(df1) / df1 over one of Chi2(df2) / df2.

    Formula: p(x) = (df1 / df2)^(df1 / 2) x^(df1 / 2 - 1) (1 + x df1 / df2)^(-(df1 + df2) / 2) / B(df1 / 2, df2 / 2)

    Args:
        df1: the degrees of freedom of the numerator, positive.
        df2: the degrees of freedom of the denominator, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Both broadcast; their shape is the batch shape.

    Raises:
        ValueError: degrees of freedom that are not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> fisher = sg.distributions.FisherSnedecor(2.0, 6.0)
        >>> fisher.mean, fisher.log_prob(sg.tensor(1.0))
        (tensor(1.5000), tensor(-1.1507))
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1, validate_args=validate_args)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2, validate_args=validate_args)
        numbers = isinstance(df1, Number) and isinstance(df2, Number)
        super().__init__(Size() if numbers else self.df1.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 4, math.nan)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(FisherSnedecor, batch_shape, _instance, "df1", "df2")
        new._gamma1, new._gamma2 = self._gamma1.expand(Size(batch_shape)), self._gamma2.expand(Size(batch_shape))
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        return at_least_tiny(above / below)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        log_beta = half1.lgamma() + half2.lgamma() - (half1 + half2).lgamma()
        powers = half1 * ratio.log() + (half1 - 1) * value.log()
        return powers - (half1 + half2) * (ratio * value).log1p() - log_beta
