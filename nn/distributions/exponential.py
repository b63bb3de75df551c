"""Waiting times and tails: the exponential, Weibull and Pareto distributions."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import ones_like, rand, zeros_like
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import finfo
from . import constraints
from .base.parameters import alias, derived, euler_constant
from .base.parametric import Parametric, parameter
from .independent import ExponentialFamily, TransformedDistribution
from .transforms import AffineTransform, ExpTransform, PowerTransform

__all__ = ["Exponential", "GeneralizedPareto", "Pareto", "Weibull"]


class Exponential(ExponentialFamily, Parametric):
    """The exponential distribution: of waiting for what happens at a constant rate.

    Formula: p(x) = rate exp(-rate x)

    Args:
        rate: how often it happens in a unit of time, positive.

    Example:
        >>> exponential = sg.distributions.Exponential(2.0)
        >>> exponential.mean, exponential.log_prob(sg.tensor(1.0)), exponential.cdf(sg.tensor(1.0))
        (tensor(0.5000), tensor(-1.3069), tensor(0.8647))
    """

    rate = parameter(constraints.positive)
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0.0

    mean = derived(lambda self: self.rate.reciprocal())
    mode = derived(lambda self: zeros_like(self.rate))
    stddev = derived(lambda self: self.rate.reciprocal())
    variance = derived(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return self.rate.log() - self.rate * value

    def _cdf_of(self, value: Tensor) -> Tensor:
        return -(-self.rate * value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - self.rate.log()

    _natural_params = derived(lambda self: (-self.rate,))

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return -(-natural_params[0]).log()


class Weibull(Parametric, TransformedDistribution):
    """The Weibull distribution with two parameters: of waiting for what happens at a rate that changes as a power.

    Formula: p(x) = k / scale (x / scale)^(k - 1) exp(-(x / scale)^k) with k = concentration

    Args:
        scale: the scale, positive.
        concentration: the shape; at 1 it is an exponential distribution.

    Example:
        >>> weibull = sg.distributions.Weibull(2.0, 1.0)
        >>> weibull.mean, weibull.variance, weibull.entropy()
        (tensor(2.), tensor(4.), tensor(1.6931))
    """

    scale = parameter(constraints.positive)
    concentration = parameter(constraints.positive)
    support = constraints.positive
    _expands = ("concentration_reciprocal",)

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        power = PowerTransform(exponent=self.concentration_reciprocal)
        TransformedDistribution.__init__(self, base, [power, AffineTransform(loc=0, scale=self.scale)], validate_args)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        powers = (self.concentration - 1).xlogy(value / self.scale) - self._hazard(value)
        return powers + self.concentration.log() - self.scale.log()

    def _hazard(self, value: Tensor) -> Tensor:
        """(x / scale)^k, of the numbers whose power is finite: of larger ones, e to minus that is 0 anyway."""
        limit = (0.9 * math.log(finfo(self.scale.dtype).max) * self.concentration_reciprocal.detach()).exp()
        return (value / self.scale).minimum(limit).pow(self.concentration)

    def cdf(self, value: Tensor) -> Tensor:
        self._check(value)
        return -(-self._hazard(value)).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return self.scale * (-(-value).log1p()).pow(self.concentration_reciprocal)

    mean = derived(lambda self: self.scale * self._standard_moment(1))

    @property
    def mode(self) -> Tensor:
        power = self.concentration_reciprocal
        return self.scale * ((self.concentration - 1) / self.concentration).pow(power)

    variance = derived(lambda self: self.scale.pow(2) * (self._standard_moment(2) - self._standard_moment(1).square()))

    def _standard_moment(self, order: int) -> Tensor:
        """The mean of x^order for the scale one."""
        return ops.lgamma(1 + order * self.concentration_reciprocal).exp()

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1


class Pareto(Parametric, TransformedDistribution):
    """The Pareto distribution of type 1.

    Formula: p(x) = alpha scale^alpha / x^(alpha + 1) for x >= scale

    Args:
        scale: the least value, positive.
        alpha: how fast the tail falls, positive.

    Example:
        >>> pareto = sg.distributions.Pareto(1.0, 2.0)
        >>> pareto.mean, pareto.variance, pareto.cdf(sg.tensor(2.0))
        (tensor(2.), tensor(inf), tensor(0.7500))
    """

    scale = parameter()
    alpha = parameter()
    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        TransformedDistribution.__init__(self, base, transforms, validate_args)

    @property
    def mean(self) -> Tensor:
        alpha = self.alpha.clamp(min=1)  # at which the mean is infinite
        return alpha * self.scale / (alpha - 1)

    mode = alias("scale")

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)  # at which the variance is infinite
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


def _over_shape(function: Callable[[Tensor], Tensor], terms: Sequence[float], shape: Tensor, x: Tensor) -> Tensor:
    """function(shape x) / shape, and its limit x for the shape 0.

    By the first terms of the power series where a derivative of the quotient would cancel.
    """
    product = (shape * x).masked_fill((shape == 0) & x.isinf(), 0)
    is_small = product.abs() < 0.01
    argument, series = product.masked_fill(~is_small, 0), zeros_like(product)
    for term in reversed(terms):
        series = series * argument + term
    general_value = function(product.masked_fill(is_small, 1)) / ops.where(is_small, 1.0, shape)
    return ops.where(is_small, x * series, general_value)


def _log1p_over(shape: Tensor, x: Tensor) -> Tensor:
    return _over_shape(ops.log1p, [(-1) ** k / (k + 1) for k in range(9)], shape, x)


def _expm1_over(shape: Tensor, x: Tensor) -> Tensor:
    return _over_shape(ops.expm1, [1 / math.factorial(k + 1) for k in range(7)], shape, x)


class GeneralizedPareto(Parametric):
    """The generalized Pareto distribution: of what exceeds a high threshold.

    Formula: P(X > x) = (1 + c z)^(-1 / c) with z = (x - loc) / scale and c = concentration; exp(-z) where c is zero

    At concentration 0 it is exponential, at -1 uniform, and for positive ones a Pareto distribution.

    Args:
        loc: the least value.
        scale: the scale, positive.
        concentration: the shape; for negative ones the greatest value is loc - scale / concentration.

    Example:
        >>> tail = sg.distributions.GeneralizedPareto(0.0, 1.0, 0.5)
        >>> tail.mean, tail.cdf(sg.tensor(2.0)), tail.entropy()
        (tensor(2.), tensor(0.7500), tensor(1.5000))
    """

    loc = parameter(constraints.real)
    scale = parameter(constraints.positive)
    concentration = parameter(constraints.real)
    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        z = (value - self.loc) / self.scale
        power = self.concentration + 1  # 0 of the uniform distribution, up to its end
        falling = (power * _log1p_over(self.concentration, z)).masked_fill(power == 0, 0.0)
        return -self.scale.log() - falling

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of more than `value`."""
        self._check(value)
        z = (value - self.loc) / self.scale
        return -_log1p_over(self.concentration, z)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of `cdf` of `value`."""
        return self.cdf(value).log()

    def cdf(self, value: Tensor) -> Tensor:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * _expm1_over(self.concentration, -(-value).log1p())

    @property
    def mean(self) -> Tensor:
        finite = self.concentration < 1
        mean = self.loc + self.scale / (1 - self.concentration)
        return ops.where(finite, mean, math.nan)

    @property
    def variance(self) -> Tensor:
        finite, shape = self.concentration < 0.5, self.concentration
        variance = self.scale.pow(2) / ((1 - shape).pow(2) * (1 - 2 * shape))
        return ops.where(finite, variance, math.nan)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1

    mode = alias("loc")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, ops.where(self.concentration < 0, end, math.inf))
