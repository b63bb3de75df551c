"""The gamma distribution, and those of what is made of gamma numbers."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.namespace import op
from ...runtime.ops.creation import as_tensor
from ...runtime.ops.creation.distributions import _standard_gamma
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import finfo
from . import constraints
from .base.parameters import _standard_normal, alias, derived
from .base.parametric import Parametric, parameter
from .independent import ExponentialFamily, TransformedDistribution
from .transforms import PowerTransform

__all__ = ["Chi2", "Gamma", "InverseGamma", "StudentT"]


def at_least_tiny(value: Tensor) -> Tensor:
    """Numbers that are too small for their dtype are the least normal one, in place; gradients take no notice."""
    value.data.clamp_(min=finfo(value.dtype).tiny)
    return value


def digamma_shift(shape: Tensor) -> Tensor:
    """log(a) - digamma(a): how far the mean of log(x) is below the logarithm of the mean of x, of gamma numbers."""
    return op.log_minus_digamma(shape, shape)


def standard_gamma_entropy(shape: Tensor) -> Tensor:
    """The entropy at the rate 1: the density at the mean, and what its logarithm is less on average."""
    return (shape - 1) * digamma_shift(shape) - op.gamma_log_prob(shape, shape, 1)


class Gamma(ExponentialFamily, Parametric):
    """The gamma distribution.

    Formula: p(x) = rate^concentration x^(concentration - 1) exp(-rate x) / gamma(concentration)

    Args:
        concentration: the shape, positive.
        rate: the inverse of the scale, positive.

    Example:
        >>> gamma = sg.distributions.Gamma(2.0, 4.0)
        >>> gamma.mean, gamma.variance, gamma.log_prob(sg.tensor(0.5))
        (tensor(0.5000), tensor(0.1250), tensor(0.0794))
    """

    concentration = parameter(constraints.positive)
    rate = parameter(constraints.positive)
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    mean = derived(lambda self: self.concentration / self.rate)
    mode = derived(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = derived(lambda self: self.concentration / self.rate.pow(2))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return at_least_tiny(_standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape))

    def log_prob(self, value: Any) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._check(value)
        return op.gamma_log_prob(value, self.concentration, self.rate)

    def _cdf_of(self, value: Tensor) -> Tensor:
        return ops.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        return standard_gamma_entropy(self.concentration) - self.rate.log()

    _natural_params = derived(lambda self: (self.concentration - 1, -self.rate))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return (x + 1).lgamma() - (x + 1) * (-y).log()


class Chi2(Gamma):
    """The chi-squared distribution: of the sum of the squares of `df` standard normal numbers.

    Formula: Gamma(df / 2, 1 / 2)

    Args:
        df: the degrees of freedom, positive.

    Example:
        >>> chi2 = sg.distributions.Chi2(3.0)
        >>> chi2.df, chi2.mean, chi2.variance
        (tensor(3.), tensor(3.), tensor(6.))
    """

    arg_constraints = {"df": constraints.positive}
    _expands = Gamma._expands

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    df = derived(lambda self: self.concentration * 2, "The degrees of freedom.")


class InverseGamma(TransformedDistribution):
    """The inverse gamma distribution: of 1 / x for x of Gamma(concentration, rate).

    Formula: p(x) = rate^concentration x^(-concentration - 1) exp(-rate / x) / gamma(concentration)

    Args:
        concentration: the shape, positive.
        rate: the scale of the inverse, positive.

    Shape: Concentration and rate broadcast; their shape is the batch shape.

    Example:
        >>> inverse = sg.distributions.InverseGamma(3.0, 4.0)
        >>> inverse.mean, inverse.mode, inverse.variance
        (tensor(2.), tensor(1.), tensor(4.))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    _expands = ()
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return op.gamma_log_prob(1 / value, self.concentration, self.rate) - 2 * value.log()

    def cdf(self, value: Tensor) -> Tensor:
        self._check(value)
        return ops.igammac(self.concentration, self.rate / value)

    concentration = alias("base_dist.concentration", "The shape.")
    rate = alias("base_dist.rate", "The scale of the inverse.")
    mean = derived(lambda self: (self.rate / (self.concentration - 1)).masked_fill(self.concentration <= 1, math.inf))
    mode = derived(lambda self: self.rate / (self.concentration + 1))

    @property
    def variance(self) -> Tensor:
        shape = self.concentration
        finite = self.rate.square() / ((shape - 1).square() * (shape - 2))
        return finite.masked_fill(shape <= 2, math.inf)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return standard_gamma_entropy(shape) + self.rate.log() - 2 * shape.digamma()


class StudentT(Parametric):
    """Student's t-distribution: of a standard normal number over the root of one of Chi2(df) / df, moved and scaled.

    Formula: p(x) = (1 + ((x - loc) / scale)^2 / df)^(-(df + 1) / 2) / (sqrt(df) B(df / 2, 1 / 2) scale)

    Args:
        df: the degrees of freedom, positive.
        loc: the place of the mode. Default: 0.
        scale: the scale, positive. Default: 1.

    Example:
        >>> student = sg.distributions.StudentT(3.0)
        >>> student.variance, student.log_prob(sg.tensor(1.0))
        (tensor(3.), tensor(-1.5763))
    """

    df = parameter(constraints.positive)
    loc = parameter(constraints.real, 0.0)
    scale = parameter(constraints.positive, 1.0)
    support = constraints.real
    has_rsample = True
    _expands = ("_chi2",)

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        self._chi2 = Chi2(self.df, validate_args=validate_args)
        super()._construct(batch_shape, validate_args)

    mean = derived(lambda self: self.loc.masked_fill(self.df <= 1, math.nan))
    mode = alias("loc")

    @property
    def variance(self) -> Tensor:
        finite = self.scale.pow(2) * self.df / (self.df - 2).masked_fill(self.df <= 2, 1.0)
        return finite.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        return self.loc + self.scale * normal * (self._chi2.rsample(sample_shape) / self.df).rsqrt()

    def _log_prob_of(self, value: Tensor) -> Tensor:
        log_term = _log1p_of_square((value - self.loc) / (self.scale * self.df.sqrt()))
        return -0.5 * (self.df + 1) * log_term - self.scale.log() - self._log_normalizer()

    def _log_normalizer(self) -> Tensor:
        """The logarithm of sqrt(df) B(df / 2, 1 / 2), from densities of gamma numbers at their means."""
        half = 0.5 * self.df
        above = half + 0.5
        at_means = op.gamma_log_prob(above, above, 1) - op.gamma_log_prob(half, half, 1)
        power = (half - 0.5) * (0.5 / half).log1p() - 0.5
        return 0.5 * math.log(2 * math.pi) + at_means - power

    def entropy(self) -> Tensor:
        half = 0.5 * self.df
        digammas = (half + 0.5).digamma() - half.digamma()
        return self.scale.log() + (half + 0.5) * digammas + self._log_normalizer()


def _log1p_of_square(x: Tensor) -> Tensor:
    """ln(1 + x^2), also where x^2 is no finite number."""
    large = x.abs() > finfo(x.dtype).eps ** -0.6  # from here on the 1 is lost
    asymptotic = 2 * x.masked_fill(~large, 1).abs().log()
    return ops.where(large, asymptotic, x.masked_fill(large, 0).square().log1p())
