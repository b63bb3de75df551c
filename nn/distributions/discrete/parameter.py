"""What distributions of events have in common: they are given `probs` or `logits`, and each follows from the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.tensor.shapes import Size
from ..distribution import Distribution
from ..parameters import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["ByProbability"]


def require_one(probs: Any, logits: Any) -> None:
    """Either of both is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class ByProbability(Distribution):
    """The base of distributions of events with a probability each, which are given it or its log odds."""

    def _give(self, probs: Tensor | None, logits: Tensor | None) -> Tensor:
        """Keep the parameter that is given; the other is computed when it is asked for."""
        if probs is not None:
            self.probs = self._param = probs
            return probs
        assert logits is not None
        self.logits = self._param = logits
        return logits

    def _expand_events(self, cls: type, batch_shape: Sequence[int], _instance: Any, *others: str) -> Any:
        """What `expand` returns: `_expanded` with what is known of both parameters."""
        new = self._expanded(cls, batch_shape, _instance, *others, "probs", "logits")
        new._param = self._param.expand(new._batch_shape)
        return new

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of the event."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of the event."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.size()
