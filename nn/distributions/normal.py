"""The normal distribution, those of its exponentials and absolute values, and the Laplace distribution."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import as_tensor, zeros_like
from ...runtime.tensor.dtypes import finfo
from ..docstrings import completed_from
from . import constraints
from .base.distribution import Distribution
from .base.parameters import _standard_normal, alias, derived
from .base.parametric import Parametric, parameter
from .independent import ExponentialFamily, TransformedDistribution
from .transforms import AbsTransform, ExpTransform

__all__ = ["HalfNormal", "Laplace", "LogNormal", "Normal"]


class Normal(ExponentialFamily, Parametric):
    """The normal (Gaussian) distribution.

    Formula: p(x) = exp(-((x - loc) / scale)^2 / 2) / (scale sqrt(2 pi))

    Args:
        loc: the mean.
        scale: the standard deviation, positive.

    Example:
        >>> normal = sg.distributions.Normal(0.0, 2.0)
        >>> normal.log_prob(sg.tensor(1.0)), normal.cdf(sg.tensor(0.0)), normal.variance
        (tensor(-1.7371), tensor(0.5000), tensor(4.))
    """

    loc = parameter(constraints.real)
    scale = parameter(constraints.positive)
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0.0

    mean = alias("loc")
    mode = alias("loc")
    stddev = alias("scale")
    variance = derived(lambda self: self.stddev.pow(2))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.loc + _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device) * self.scale

    def _log_prob_of(self, value: Tensor) -> Tensor:
        scaled = (value - self.loc) / self.scale
        return -0.5 * scaled * scaled - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def _cdf_of(self, value: Tensor) -> Tensor:
        return ops.ndtr((value - self.loc) / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * ops.ndtri(value)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    _natural_params = derived(lambda self: (self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()


class LogNormal(TransformedDistribution):
    """The distribution of exp(x) for x from Normal(loc, scale).

    Formula: p(y) = exp(-((log(y) - loc) / scale)^2 / 2) / (y scale sqrt(2 pi))

    Args:
        loc: the mean of the logarithm.
        scale: the standard deviation of the logarithm, positive.

    Shape: Loc and scale broadcast; their shape is the batch shape.

    Example:
        >>> log_normal = sg.distributions.LogNormal(0.0, 1.0)
        >>> log_normal.mean, log_normal.mode, log_normal.cdf(sg.tensor(1.0))
        (tensor(1.6487), tensor(0.3679), tensor(0.5000))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expands = ()

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    loc = alias("base_dist.loc", "The mean of the logarithm.")
    scale = alias("base_dist.scale", "The standard deviation of the logarithm.")
    mean = derived(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = derived(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    mode = derived(lambda self: zeros_like(self.base_dist.scale))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        scale = self.base_dist.scale
        value = as_tensor(value, dtype=scale.dtype, device=scale.device)
        return ops.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    cdf = Distribution.cdf

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The distribution of |x| for x from Normal(0, scale).

    Formula: p(x) = 2 exp(-(x / scale)^2 / 2) / (scale sqrt(2 pi)) for x >= 0

    Args:
        scale: that of the normal distribution, positive.

    Example:
        >>> half = sg.distributions.HalfNormal(1.0)
        >>> half.log_prob(sg.tensor(1.0)), half.cdf(sg.tensor(1.0))
        (tensor(-0.7258), tensor(0.6827))
    """

    _expands = ()

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def _cdf_of(self, value: Tensor) -> Tensor:
        return ops.erf(value / (self.scale * math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        lower = math.sqrt(2) * ops.erfinv(value.clamp(max=0.5))
        return self.scale * ops.where(value < 0.5, lower, -ops.ndtri(0.5 * (1 - value)))

    scale = alias("base_dist.scale", "The scale of the normal distribution.")
    mean = derived(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = derived(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))


@completed_from(Normal)
class Laplace(Parametric):
    """The Laplace distribution: an exponential one to both sides.

    Formula: p(x) = exp(-|x - loc| / scale) / (2 scale)

    Args:
        scale: the mean distance from it, positive.

    Example:
        >>> laplace = sg.distributions.Laplace(0.0, 1.0)
        >>> laplace.log_prob(sg.tensor(1.0)), laplace.variance
        (tensor(-1.6931), tensor(2.))
    """

    loc = parameter(constraints.real)
    scale = parameter(constraints.positive)
    support = constraints.real
    has_rsample = True

    mean = alias("loc")
    mode = alias("loc")
    variance = derived(lambda self: 2 * self.scale.pow(2))
    stddev = derived(lambda self: 2**0.5 * self.scale)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        # Never -1, whose logarithm below would be infinite; draws do not reach 1.
        noise = self.loc.new_empty(self._extended_shape(sample_shape)).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * noise.sign() * (-noise.abs()).log1p()

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def _cdf_of(self, value: Tensor) -> Tensor:
        away = (value - self.loc) / self.scale
        lower = 0.5 * away.clamp(max=0).exp()
        return ops.where(away < 0, lower, 1 - 0.5 * (-away.clamp(min=0)).exp())

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * ops.where(value < 0.5, (2 * value).log(), -(2 * (1 - value)).log())

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
