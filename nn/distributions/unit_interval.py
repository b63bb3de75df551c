"""Distributions of numbers between zero and one, and of relaxed classes."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import as_tensor, full_like, rand
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import finfo
from . import constraints
from .base.distribution import Distribution
from .base.parameters import alias, broadcast_all, clamp_probs, derived, euler_constant, lazy_property, product
from .base.parametric import PROBS_OR_LOGITS, ByProbability, Parametric, parameter
from .categorical import Categorical
from .cauchy import Uniform
from .independent import ExponentialFamily, TransformedDistribution
from .normal import Normal
from .transforms import AffineTransform, ExpTransform, PowerTransform, SigmoidTransform, StickBreakingTransform

__all__ = [
    "ContinuousBernoulli",
    "ExpRelaxedCategorical",
    "Kumaraswamy",
    "LogisticNormal",
    "LogitRelaxedBernoulli",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
]


class Kumaraswamy(Parametric, TransformedDistribution):
    """The Kumaraswamy distribution, which is like a beta distribution and has a simple cdf.

    Formula: p(x) = a b x^(a - 1) (1 - x^a)^(b - 1) with a = concentration1 and b = concentration0

    Args:
        concentration1: a, positive.
        concentration0: b, positive.

    Example:
        >>> kumaraswamy = sg.distributions.Kumaraswamy(1.0, 2.0)
        >>> kumaraswamy.mean, kumaraswamy.cdf(sg.tensor(0.5))
        (tensor(0.3333), tensor(0.7500))
    """

    concentration1 = parameter(constraints.positive)
    concentration0 = parameter(constraints.positive)
    support = constraints.unit_interval
    has_rsample = True

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        ends = full_like(self.concentration0, 0), full_like(self.concentration0, 1)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        base = Uniform(*ends, validate_args=validate_args)
        TransformedDistribution.__init__(self, base, transforms, validate_args)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        a, b = self.concentration1, self.concentration0
        rest = _log1mexp(-a * value.log())
        return a.log() + b.log() + (a - 1).xlogy(value) + product(b - 1, rest)

    def cdf(self, value: Tensor) -> Tensor:
        self._check(value)
        return -(self.concentration0 * _log1mexp(-self.concentration1 * value.log())).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        survival = (-value).log1p() / self.concentration0
        return (_log1mexp(-survival) / self.concentration1).exp()

    def _moment(self, order: int) -> Tensor:
        """The mean of x^order: b B(1 + order / a, b)."""
        first, b = 1 + order / self.concentration1, self.concentration0
        return (b.log() + ops.lgamma(first) + ops.lgamma(b) - ops.lgamma(first + b)).exp()

    mean = derived(lambda self: self._moment(1))

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        inner = ((a - 1) / (a * b - 1)).pow(a.reciprocal())
        return inner.masked_fill((a < 1) | (b < 1), math.nan)  # the greatest densities are at the ends

    variance = derived(lambda self: self._moment(2) - self.mean.pow(2))

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = ops.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()


def _log1mexp(x: Tensor) -> Tensor:
    """ln(1 - e^-x) for x >= 0, from what is exact: e^-x of large ones, and e^-x - 1 of small ones."""
    small = x < math.log(2)
    large = (-(-x.masked_fill(small, 1)).exp()).log1p()
    return ops.where(small, (-(-x.masked_fill(~small, 0.5)).expm1()).log(), large)


class LogitRelaxedBernoulli(ByProbability):
    """The distribution of logits of relaxed Bernoulli samples: a logistic one.

    Formula: y = (logits + log(u) - log(1 - u)) / temperature for u uniform

    Args:
        temperature: the lower, the nearer are samples of RelaxedBernoulli to zero and one; positive.
        probs: the probability of one, or
        logits: the log odds of one.

    Raises: ValueError: both probs and logits, or neither; a probability outside [0, 1].

    Example:
        >>> from specgrad.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
        >>> relaxed = LogitRelaxedBernoulli(sg.tensor(1.0), probs=sg.tensor([0.5]))
        >>> relaxed.log_prob(sg.tensor([0.0]))
        tensor([-1.3863])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _expands = PROBS_OR_LOGITS
    _shares = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(self._give(probs, logits).size(), validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = clamp_probs(self.probs.expand(self._extended_shape(sample_shape)))
        noise = clamp_probs(rand(probs.shape, dtype=probs.dtype, device=probs.device))
        return (noise.log() - (-noise).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def _log_prob_of(self, value: Tensor) -> Tensor:
        logits, value = broadcast_all(self.logits, value)
        temperature = as_tensor(self.temperature, dtype=logits.dtype, device=logits.device)
        away = logits - value * temperature
        # log(t exp(d) / (1 + exp(d))^2), with the sigmoid's logarithm, which does not overflow
        return temperature.log() + away + 2 * ops.logsigmoid(-away)


class RelaxedBernoulli(TransformedDistribution):
    """A relaxed Bernoulli distribution: numbers between zero and one, with differentiable samples.

    As the temperature goes to zero, samples become those of Bernoulli.

    Source: Maddison et al., "The Concrete Distribution", 2016.

    Args:
        temperature: how relaxed it is; positive.
        probs: the probability of one, or
        logits: the log odds of one.

    Raises: ValueError: both probs and logits, or neither; a probability outside [0, 1].

    Example:
        >>> relaxed = sg.distributions.RelaxedBernoulli(sg.tensor(1.0), probs=sg.tensor([0.5]))
        >>> relaxed.log_prob(sg.tensor([0.25]))
        tensor([0.])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _expands = ()

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    temperature = alias("base_dist.temperature", "How relaxed the distribution is.")
    logits = alias("base_dist.logits", "The log odds of one.")
    probs = alias("base_dist.probs", "The probability of one.")


class ContinuousBernoulli(ByProbability, ExponentialFamily):
    """The continuous Bernoulli distribution, of numbers between zero and one.

    Formula: p(x) = C(probs) probs^x (1 - probs)^(1 - x), C(p) = 2 artanh(1 - 2p) / (1 - 2p)

    Where probs is near 1/2, between the limits `lims`, quotients are replaced by the first terms of their series.
    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders", 2019.

    Args:
        probs: a number between zero and one; no probability of anything.
        logits: its log odds, instead.
        lims: between which values of probs series are used. Default: (0.499, 0.501).

    Shape: The shape of the parameter is the batch shape.

    Raises: ValueError: both parameters or none, or probs outside of [0, 1].

    Example:
        >>> numbers = sg.distributions.ContinuousBernoulli(0.25)
        >>> numbers.mean, numbers.log_prob(sg.tensor(0.5))
        (tensor(0.4102), tensor(-0.0498))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    _expands = PROBS_OR_LOGITS
    _shares = ("_lims",)

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._lims = lims
        if probs is not None and logits is None:
            (probs,) = broadcast_all(probs)
            is_checked = self._validate_args if validate_args is None else validate_args
            if is_checked and not constraints.holds_everywhere(constraints.unit_interval.check(probs)):
                raise ValueError("The parameter probs has invalid values")
            kind = finfo(probs.dtype)
            probs = probs.clamp(kind.tiny, 1 - kind.eps / 2)  # all but 0 and 1, which have no logits
        super().__init__(self._give(probs, logits).size(), validate_args=validate_args)

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of the parameter, which is neither 0 nor 1."""
        return self.probs.log() - (-self.probs).log1p()

    def _outside(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _safe_logits(self) -> Tensor:
        """`logits` likewise."""
        return self.logits.masked_fill(~self._outside(), math.log(self._lims[0] / (1 - self._lims[0])))

    def _safe_probs(self) -> Tensor:
        """`probs` where it is far enough from 1/2, else the lower limit, which gives no infinite slopes."""
        return self.probs.masked_fill(~self._outside(), self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        logits = self._safe_logits()
        general_value = (logits / (0.5 * logits).tanh()).log()
        x = (self.probs - 0.5).square()
        return ops.where(self._outside(), general_value, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        safe_probs = self._safe_probs()
        general_value = safe_probs / (2.0 * safe_probs - 1.0) + 1.0 / ((-safe_probs).log1p() - safe_probs.log())
        x = self.probs - 0.5
        return ops.where(self._outside(), general_value, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.square()) * x)

    @property
    def variance(self) -> Tensor:
        safe_probs = self._safe_probs()
        general_value = (
            safe_probs * (safe_probs - 1.0) / (1.0 - 2.0 * safe_probs).square()
            + 1.0 / ((-safe_probs).log1p() - safe_probs.log()).square()
        )
        x = (self.probs - 0.5).square()
        return ops.where(self._outside(), general_value, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return self._cont_bern_log_norm() + self._log_likelihood(value, 1 - value)

    def _cdf_of(self, value: Tensor) -> Tensor:
        logits = self._safe_logits()
        fall = -logits.abs()  # e^(logits x) - 1 over e^logits - 1, without large numbers
        general_value = (fall * value).expm1() / fall.expm1() * (logits.clamp(min=0) * (value - 1)).exp()
        within = ops.where(self._outside(), general_value, value)
        return within.masked_fill(value <= 0.0, 0.0).masked_fill(value >= 1.0, 1.0)

    def icdf(self, value: Tensor) -> Tensor:
        logits = self._safe_logits()
        fall = -logits.abs()  # of positive logits the logarithm is that of e^-logits times the argument
        lower = (value * fall.expm1()).log1p()
        upper = ((1 - value) * fall.expm1()).log1p() + logits
        small = logits.clamp(max=math.log(1 / finfo(logits.dtype).eps)).expm1() * value
        upper = ops.where(small < 1, small.log1p(), upper)
        general_value = ops.where(logits > 0, upper, lower) / logits
        return ops.where(self._outside(), general_value, value)

    def entropy(self) -> Tensor:
        log_0, log_1 = (-self.probs).log1p(), self.probs.log()
        return self.mean * (log_0 - log_1) - self._cont_bern_log_norm() - log_0

    _natural_params = derived(lambda self: (self.logits,))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """The logarithm of (e^x - 1) / x."""
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        safe_x = x.masked_fill(~outside, self._lims[0] - 0.5)
        general_value = safe_x.expm1().abs().log() - safe_x.abs().log()
        return ops.where(outside, general_value, 0.5 * x + x.square() / 24.0 - x.square().square() / 2880.0)


class ExpRelaxedCategorical(Distribution):
    """The distribution of the logarithms of relaxed one-hot samples.

    Formula: y = log_softmax((logits + g) / temperature) for independent standard Gumbel numbers g

    Args:
        temperature: the lower, the nearer are samples of RelaxedOneHotCategorical to one-hot vectors; positive.
        probs: weights of the classes, (..., K), or
        logits: log weights of the classes.

    Raises: ValueError: both probs and logits, or neither; a negative weight.

    Example:
        >>> from specgrad.distributions.relaxed_categorical import ExpRelaxedCategorical
        >>> relaxed = ExpRelaxedCategorical(sg.tensor(1.0), probs=sg.tensor([0.5, 0.5]))
        >>> relaxed.log_prob(sg.tensor([0.5, 0.5]).log())
        tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # the vectors with sum(exp(y)) = 1, which rounding leaves
    has_rsample = True
    _expands = ("_categorical",)
    _shares = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    param_shape = alias("_categorical.param_shape", "The shape of the parameter.")
    logits = alias("_categorical.logits", "Log probabilities of the classes.")
    probs = alias("_categorical.probs", "Probabilities of the classes.")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = -(-noise.log()).log()
        return ops.log_softmax((self.logits + gumbel) / self.temperature, -1)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        logits, value = broadcast_all(self.logits, value)
        classes = self._categorical.param_shape[-1]
        temperature = as_tensor(self.temperature, dtype=logits.dtype, device=logits.device)
        scale = math.lgamma(classes) + (classes - 1) * temperature.log()
        return ops.log_softmax(logits - value * temperature, -1).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A relaxed one-hot categorical distribution: probabilities, with differentiable samples.

    As the temperature goes to zero, samples become those of OneHotCategorical.

    Args:
        temperature: how relaxed it is; positive.
        probs: weights of the classes, (..., K), or
        logits: log weights of the classes.

    Raises: ValueError: both probs and logits, or neither; a negative weight.

    Source: Maddison et al., "The Concrete Distribution", 2016; Jang et al., "Categorical Reparameterization with
    Gumbel-Softmax", 2016.

    Example:
        >>> relaxed = sg.distributions.RelaxedOneHotCategorical(sg.tensor(1.0), probs=sg.tensor([0.5, 0.5]))
        >>> relaxed.event_shape, relaxed.log_prob(sg.tensor([0.5, 0.5]))
        (specgrad.Size([2]), tensor(0.))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    _expands = ()

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    temperature = alias("base_dist.temperature", "How relaxed the distribution is.")
    logits = alias("base_dist.logits", "Log probabilities of the classes.")
    probs = alias("base_dist.probs", "Probabilities of the classes.")


class LogisticNormal(TransformedDistribution):
    """The distribution of probabilities that StickBreakingTransform makes of independent normal numbers.

    Args:
        loc: the means, (..., D).
        scale: the standard deviations, positive.

    Shape: Loc and scale broadcast to (..., D); an event has D + 1 probabilities.

    Example:
        >>> logistic = sg.distributions.LogisticNormal(sg.zeros(2), sg.ones(2))
        >>> logistic.event_shape, logistic.log_prob(sg.ones(3) / 3)
        (specgrad.Size([3]), tensor(1.4580))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    _expands = ()

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = alias("base_dist.base_dist.loc", "The means of the normal numbers.")
    scale = alias("base_dist.base_dist.scale", "The standard deviations of the normal numbers.")
