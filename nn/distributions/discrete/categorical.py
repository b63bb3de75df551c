"""The categorical distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import arange, multinomial
from ....runtime.functions.several import broadcast_tensors
from ....runtime.modes.grad_mode import no_grad
from ....runtime.tensor.dtypes import finfo, int64
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..parameters import lazy_property, logits_to_probs, probs_to_logits
from .parameter import require_one

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution, of the numbers 0 to K - 1 of classes.

    Formula: p(k) = probs_k

    Args:
        probs: weights of the classes along the last dimension, which are divided by their sum.
        logits: logarithms of weights, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The parameter is (*batch_shape, K).

    Raises:
        ValueError: both parameters or none, a number alone, or weights that are negative or NaN.

    Example:
        >>> import specgrad as sg
        >>> classes = sg.distributions.Categorical(sg.tensor([1.0, 1.0, 2.0]))
        >>> classes.probs, classes.log_prob(sg.tensor(2)), classes.entropy()
        (tensor([0.2500, 0.2500, 0.5000]), tensor(-0.6931), tensor(1.0397))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        require_one(probs, logits)
        if probs is not None:
            _require_vector("probs", probs)
            self.probs = self._param = probs / probs.sum(-1, True)
        elif logits is not None:
            _require_vector("logits", logits)
            self.logits = self._param = logits - logits.logsumexp(-1, True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(Categorical, batch_shape, _instance, "probs", "logits")
        new._param = self._param.expand((*batch_shape, self._num_events))
        new._num_events = self._num_events
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.size()

    @property
    def mean(self) -> Tensor:
        """NaN: classes have no mean."""
        return self.probs.new_full(self._extended_shape(), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        """NaN: classes have no variance."""
        return self.probs.new_full(self._extended_shape(), math.nan)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = Size(sample_shape)
            drawn = multinomial(self.probs.reshape(-1, self._num_events), shape.numel(), True)
            return drawn.T.reshape(self._extended_shape(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        places, logits = value.long().unsqueeze(-1), self.logits
        if places.shape[:-1] != logits.shape[:-1]:
            places, logits = broadcast_tensors(places, logits)
            places = places[..., :1]
        return logits.gather(-1, places).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)  # 0 log 0 is 0
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(self._num_events, dtype=int64, device=self._param.device)
        values = values.view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values


def _require_vector(name: str, value: Tensor) -> None:
    if value.dim() < 1:
        raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
