"""Student's t-distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..parameters import _standard_normal, broadcast_all
from .chi2 import Chi2

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t-distribution: of a standard normal number over the root of one of Chi2(df) / df, moved and scaled.

    Formula: p(x) = (1 + ((x - loc) / scale)^2 / df)^(-(df + 1) / 2) / (sqrt(df) B(df / 2, 1 / 2) scale)

    Args:
        df: the degrees of freedom, positive.
        loc: the place of the mode. Default: 0.
        scale: the scale, positive. Default: 1.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The parameters broadcast; their shape is the batch shape.

    Raises:
        ValueError: degrees of freedom or a scale that are not positive, or a parameter that is NaN.

    Example:
        >>> import specgrad as sg
        >>> student = sg.distributions.StudentT(3.0)
        >>> student.variance, student.log_prob(sg.tensor(1.0))
        (tensor(3.), tensor(-1.5763))
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df, validate_args=validate_args)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = self.scale.pow(2) * self.df / (self.df - 2).masked_fill(self.df <= 2, 1.0)
        return finite.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(StudentT, batch_shape, _instance, "df", "loc", "scale")
        new._chi2 = self._chi2.expand(Size(batch_shape))
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        return self.loc + self.scale * normal * (self._chi2.rsample(sample_shape) / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = (((value - self.loc) / self.scale) ** 2 / self.df).log1p()
        return -0.5 * (self.df + 1) * far - self.scale.log() - self._log_normalizer()

    def _log_normalizer(self) -> Tensor:
        """The logarithm of sqrt(df) B(df / 2, 1 / 2)."""
        half = 0.5 * self.df
        return 0.5 * self.df.log() + 0.5 * math.log(math.pi) + half.lgamma() - (half + 0.5).lgamma()

    def entropy(self) -> Tensor:
        half = 0.5 * self.df
        digammas = (half + 0.5).digamma() - half.digamma()
        return self.scale.log() + (half + 0.5) * digammas + self._log_normalizer()
