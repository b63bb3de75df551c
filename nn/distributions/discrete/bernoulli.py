"""The Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import arange, bernoulli
from ....runtime.modes.grad_mode import no_grad
from ...functional import binary_cross_entropy_with_logits
from .. import constraints
from ..exp_family import ExponentialFamily
from ..parameters import broadcast_all
from .parameter import ByProbability, require_one

__all__ = ["Bernoulli"]


class Bernoulli(ByProbability, ExponentialFamily):
    """The Bernoulli distribution: 1 with the probability `probs`, else 0.

    Formula: p(x) = probs^x (1 - probs)^(1 - x)

    Args:
        probs: the probability of 1.
        logits: its log odds, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The shape of the parameter is the batch shape.

    Raises:
        ValueError: both parameters or none, or what is no probability.

    Example:
        >>> import specgrad as sg
        >>> coin = sg.distributions.Bernoulli(0.25)
        >>> coin.mean, coin.log_prob(sg.tensor(1.0)), coin.enumerate_support()
        (tensor(0.2500), tensor(-1.3863), tensor([0., 1.]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        require_one(probs, logits)
        given = self._give(*(None if x is None else broadcast_all(x)[0] for x in (probs, logits)))
        super().__init__(given.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expand_events(Bernoulli, batch_shape, _instance)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return (self.probs >= 0.5).to(self.probs.dtype).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(2, dtype=self._param.dtype, device=self._param.device).view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.probs.logit(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.exp().log1p()
