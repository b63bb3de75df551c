"""Relaxed Bernoulli distributions, over numbers between zero and one and over their logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import as_tensor, rand
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..parameters import broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits
from ..transformed_distribution import TransformedDistribution
from ..transforms import SigmoidTransform

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Distribution):
    """The distribution of logits of relaxed Bernoulli samples: a logistic one.

    Formula: y = (logits + log(u) - log(1 - u)) / temperature for u uniform

    Args:
        temperature: the lower, the nearer are samples of RelaxedBernoulli to zero and one; positive.
        probs: the probability of one, or
        logits: the log odds of one.
        validate_args: whether parameters and values are checked; None for the default.

    Raises:
        ValueError: both probs and logits, or neither; a probability outside [0, 1].

    Example:
        >>> import specgrad as sg
        >>> from specgrad.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
        >>> relaxed = LogitRelaxedBernoulli(sg.tensor(1.0), probs=sg.tensor([0.5]))
        >>> relaxed.log_prob(sg.tensor([0.0]))
        tensor([-1.3863])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def _param(self) -> Tensor:
        """The parameter that was given."""
        found: Tensor = vars(self)["probs" if "probs" in vars(self) else "logits"]
        return found

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(LogitRelaxedBernoulli, _instance)
        new.temperature = self.temperature
        return self._expanded(LogitRelaxedBernoulli, batch_shape, new, "probs", "logits")

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = clamp_probs(self.probs.expand(self._extended_shape(sample_shape)))
        drawn = clamp_probs(rand(probs.shape, dtype=probs.dtype, device=probs.device))
        return (drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
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
        validate_args: whether parameters and values are checked; None for the default.

    Raises:
        ValueError: both probs and logits, or neither; a probability outside [0, 1].

    Example:
        >>> import specgrad as sg
        >>> relaxed = sg.distributions.RelaxedBernoulli(sg.tensor(1.0), probs=sg.tensor([0.5]))
        >>> relaxed.log_prob(sg.tensor([0.25]))
        tensor([0.])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self) -> Any:
        """How relaxed the distribution is."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log odds of one."""
        found: Tensor = self.base_dist.logits
        return found

    @property
    def probs(self) -> Tensor:
        """The probability of one."""
        found: Tensor = self.base_dist.probs
        return found
