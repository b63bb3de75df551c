"""What distributions of events have in common: they are given `probs` or `logits`, and each follows from the other."""

from __future__ import annotations

from typing import Any

from ...generated.tensor import Tensor
from .base.distribution import Distribution
from .base.parameters import broadcast_all, derived, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["ByProbability"]

PROBS_OR_LOGITS = ("probs", "logits", "_param")  # what is expanded of such a distribution, as far as it is known


def require_one(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class ByProbability(Distribution):
    """The base of distributions of events with a probability each, which are given it or its log odds."""

    total_count: Tensor

    def _give(self, probs: Any, logits: Any) -> Tensor:
        require_one(probs, logits)
        name, value = ("logits", logits) if probs is None else ("probs", probs)
        (self._param,) = broadcast_all(value)
        setattr(self, name, self._param)
        return self._param

    def _give_with_count(self, total_count: Any, probs: Any, logits: Any) -> Tensor:
        require_one(probs, logits)
        total_count, value = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count = total_count.to(value.dtype)
        return self._give(*((value, None) if logits is None else (None, value)))

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of the event."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of the event."""
        return logits_to_probs(self.logits, is_binary=True)

    param_shape = derived(lambda self: self._param.size(), "The shape of the parameter that was given.")
