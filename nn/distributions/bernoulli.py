"""Counts: of successes and failures in trials of one probability, and Poisson's."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.namespace import op
from ...runtime.ops.creation import arange, bernoulli, binomial, ones_like, poisson, rand
from ...runtime.tensor.dtypes import finfo
from ...runtime.tensor.grad_mode import no_grad
from ..docstrings import completed_from
from . import constraints
from .base.parameters import alias, broadcast_all, derived, lazy_property
from .base.parametric import PROBS_OR_LOGITS, ByProbability, Parametric, parameter
from .gamma import Gamma
from .independent import ExponentialFamily

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]


class Bernoulli(ByProbability, ExponentialFamily):
    """The Bernoulli distribution: 1 with the probability `probs`, else 0.

    Formula: p(x) = probs^x (1 - probs)^(1 - x)

    Args:
        probs: the probability of 1.
        logits: its log odds, instead.

    Shape: The shape of the parameter is the batch shape.

    Raises: ValueError: both parameters or none, or what is no probability.

    Example:
        >>> coin = sg.distributions.Bernoulli(0.25)
        >>> coin.mean, coin.log_prob(sg.tensor(1.0)), coin.enumerate_support()
        (tensor(0.2500), tensor(-1.3863), tensor([0., 1.]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    _expands = PROBS_OR_LOGITS

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._give(probs, logits).size(), validate_args=validate_args)

    mean = alias("probs")
    mode = derived(lambda self: (self.probs >= 0.5).to(self.probs.dtype).masked_fill(self.probs == 0.5, math.nan))
    variance = derived(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        value, _ = broadcast_all(value, self._param)
        return self._log_likelihood(value, 1 - value)

    def entropy(self) -> Tensor:
        return _entropy(self)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._along(arange(2, dtype=self._param.dtype, device=self._param.device), expand)

    _natural_params = derived(lambda self: (self.probs.logit(),))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp().log1p()


def _entropy(event: ByProbability) -> Tensor:
    log_p, log_q = event._logs()
    return event.probs * -log_p + event._complement() * -log_q


class Binomial(ByProbability):
    """The binomial distribution: how many of `total_count` trials of probability `probs` succeed.

    Formula: p(k) = total_count! / (k! (total_count - k)!) probs^k (1 - probs)^(total_count - k)

    Args:
        total_count: the number of trials. Default: 1.
        probs: the probability of success.
        logits: its log odds, instead.

    Shape: Count and parameter broadcast; their shape is the batch shape.

    Raises: ValueError: both parameters or none, what is no probability, or no number of trials.

    Example:
        >>> binomial = sg.distributions.Binomial(4, sg.tensor([0.5, 0.25]))
        >>> binomial.mean, binomial.log_prob(sg.tensor(2.0))
        (tensor([2., 1.]), tensor([-0.9808, -1.5562]))
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    _expands = ("total_count", *PROBS_OR_LOGITS)

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(self._give_with_count(total_count, probs, logits).size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    mean = derived(lambda self: self.total_count * self.probs)
    mode = derived(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance = derived(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return self._log_prob_of_counts(value, self.total_count - value)

    def _common_count(self, name: str) -> int:
        if self.total_count.numel() == 0:
            return 0
        count = int(self.total_count.max().item())
        if not self.total_count.min().item() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{name}`.")
        return count

    def entropy(self) -> Tensor:
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -op.weighted_by(log_prob, log_prob.exp()).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = 1 + self._common_count("enumerate_support")
        return self._along(arange(count, dtype=self._param.dtype, device=self._param.device), expand)


@completed_from(Bernoulli)
class Geometric(ByProbability):
    """The geometric distribution: how many trials of probability `probs` fail before the first that succeeds.

    Formula: p(x) = (1 - probs)^x probs

    Args:
        probs: the probability of success, above 0.

    Raises: ValueError: both parameters or none, what is no probability, or a probability of 0.

    Example:
        >>> geometric = sg.distributions.Geometric(0.25)
        >>> geometric.mean, geometric.variance, geometric.log_prob(sg.tensor(1.0))
        (tensor(3.), tensor(12.), tensor(-1.6740))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _expands = PROBS_OR_LOGITS

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._give(probs, logits).size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            self._require_positive()

    def _require_positive(self) -> None:
        valid = self.probs > 0
        if not constraints.holds_everywhere(valid):
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\n{self.probs[~valid]}"
            )

    mean = derived(lambda self: 1.0 / self.probs - 1.0)
    mode = derived(lambda self: self.probs.new_zeros(self.probs.shape))
    variance = derived(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            kind = self.probs.dtype
            u = rand(self._extended_shape(sample_shape), dtype=kind, device=self.probs.device)
            return (u.clamp(min=finfo(kind).tiny).log() / (-self.probs).log1p()).floor()

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return self._log_likelihood(ones_like(self._param), value)

    def entropy(self) -> Tensor:
        return _entropy(self) / self.probs


@completed_from(Binomial)
class NegativeBinomial(ByProbability):
    """The negative binomial distribution: how many trials of probability `probs` succeed before `total_count` fail.

    Formula: p(k) = gamma(total_count + k) / (k! gamma(total_count)) (1 - probs)^total_count probs^k

    Args:
        total_count: the number of failures, not negative; it need not be whole.
        probs: the probability of success, in [0, 1).

    Raises: ValueError: both parameters or none, what is no such probability, or a negative count.

    Example:
        >>> counts = sg.distributions.NegativeBinomial(3.0, 0.5)
        >>> counts.mean, counts.variance, counts.log_prob(sg.tensor(1.0))
        (tensor(3.), tensor(6.), tensor(-1.6740))
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _expands = ("total_count", *PROBS_OR_LOGITS)

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(self._give_with_count(total_count, probs, logits).size(), validate_args=validate_args)

    mean = derived(lambda self: self.total_count * self.logits.exp())
    mode = derived(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = derived(lambda self: self.mean / (-self.logits).sigmoid())

    @lazy_property
    def _gamma(self) -> Gamma:
        """Of the rates: counts are those of Poisson distributions of such rates."""
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        total = self.total_count + value
        none = (total == 0).to(total.dtype)
        last_fails = ((self.total_count + none) / (total + none)).log()
        return self._log_prob_of_counts(value, self.total_count) + last_fails


def poisson_log_prob(count: Tensor, rate: Tensor) -> Tensor:
    """The log probability of a count where `rate` are expected."""
    return op.gamma_log_prob(rate, count + 1, 1)


class Poisson(ExponentialFamily, Parametric):
    """The Poisson distribution: the number of events where `rate` are expected.

    Formula: p(k) = rate^k exp(-rate) / k!

    Args:
        rate: the expected number, not negative.

    Example:
        >>> poisson = sg.distributions.Poisson(4.0)
        >>> poisson.variance, poisson.log_prob(sg.tensor(2.0))
        (tensor(4.), tensor(-1.9206))
    """

    rate = parameter(constraints.nonnegative)
    support = constraints.nonnegative_integer

    mean = alias("rate")
    mode = derived(lambda self: self.rate.floor())
    variance = alias("rate")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        return poisson_log_prob(value, self.rate)

    _natural_params = derived(lambda self: (self.rate.log(),))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp()
