"""The Cauchy distribution of absolute values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import as_tensor, full, zeros_like
from .. import constraints
from ..transformed_distribution import TransformedDistribution
from ..transforms import AbsTransform
from .cauchy import Cauchy

__all__ = ["HalfCauchy"]


class HalfCauchy(TransformedDistribution):
    """The distribution of |x| for x from Cauchy(0, scale).

    Formula: p(x) = 2 / (pi scale (1 + (x / scale)^2)) for x >= 0

    Args:
        scale: that of the cauchy distribution, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Raises:
        ValueError: a scale that is not positive.

    Example:
        >>> import specgrad as sg
        >>> half = sg.distributions.HalfCauchy(1.0)
        >>> half.log_prob(sg.tensor(1.0)), half.cdf(sg.tensor(1.0))
        (tensor(-1.1447), tensor(0.5000))
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfCauchy, _instance))

    @property
    def scale(self) -> Tensor:
        """The scale of the cauchy distribution."""
        found: Tensor = self.base_dist.scale
        return found

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return ops.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
