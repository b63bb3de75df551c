"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import poisson
from ....runtime.modes.grad_mode import no_grad
from ...functional import logsigmoid
from .. import constraints
from ..gammas.gamma import Gamma
from ..parameters import broadcast_all, lazy_property
from .parameter import ByProbability, require_one

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ByProbability):
    """The negative binomial distribution: how many trials of probability `probs` succeed before `total_count` fail.

    Formula: p(k) = gamma(total_count + k) / (k! gamma(total_count)) (1 - probs)^total_count probs^k

    Args:
        total_count: the number of failures, not negative; it need not be whole.
        probs: the probability of success, in [0, 1).
        logits: its log odds, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Count and parameter broadcast; their shape is the batch shape.

    Raises:
        ValueError: both parameters or none, what is no such probability, or a negative count.

    Example:
        >>> import specgrad as sg
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

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        require_one(probs, logits)
        total_count, given = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count = total_count.to(given.dtype)
        self._give(*((given, None) if logits is None else (None, given)))
        super().__init__(given.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expand_events(NegativeBinomial, batch_shape, _instance, "total_count")

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Gamma:
        """Of the rates: counts are those of Poisson distributions of such rates."""
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        powers = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        ways = (count + value).lgamma() - (1.0 + value).lgamma() - count.lgamma()
        return powers + ways.masked_fill(count + value == 0.0, 0.0)
