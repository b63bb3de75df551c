"""The binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import arange, binomial
from ....runtime.modes.grad_mode import no_grad
from .. import constraints
from ..parameters import broadcast_all
from .parameter import ByProbability, require_one

__all__ = ["Binomial"]


class Binomial(ByProbability):
    """The binomial distribution: how many of `total_count` trials of probability `probs` succeed.

    Formula: p(k) = total_count! / (k! (total_count - k)!) probs^k (1 - probs)^(total_count - k)

    Args:
        total_count: the number of trials. Default: 1.
        probs: the probability of success.
        logits: its log odds, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Count and parameter broadcast; their shape is the batch shape.

    Raises:
        ValueError: both parameters or none, what is no probability, or no number of trials.

    Example:
        >>> import specgrad as sg
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

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        require_one(probs, logits)
        total_count, given = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count = total_count.to(given.dtype)
        self._give(*((given, None) if logits is None else (None, given)))
        super().__init__(given.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expand_events(Binomial, batch_shape, _instance, "total_count")

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count, logits = self.total_count, self.logits
        ways = (count + 1).lgamma() - (value + 1).lgamma() - (count - value + 1).lgamma()
        # log(1 + e^logits) without overflow; half of the slope of the maximum goes through at 0
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        return ways + value * logits - count * (positive + (-logits.abs()).exp().log1p())

    def _common_count(self, name: str) -> int:
        """The number of trials, which all have."""
        if self.total_count.numel() == 0:
            return 0
        count = int(self.total_count.max().item())
        if not self.total_count.min().item() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{name}`.")
        return count

    def entropy(self) -> Tensor:
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(
            1 + self._common_count("enumerate_support"), dtype=self._param.dtype, device=self._param.device
        ).view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values
