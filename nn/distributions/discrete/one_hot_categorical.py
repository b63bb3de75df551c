"""Categorical distributions whose samples are one-hot vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import eye
from ....runtime.functions.several import broadcast_tensors
from ....runtime.tensor.shapes import Size
from ...functional import one_hot
from .. import constraints
from ..distribution import Distribution
from .categorical import Categorical

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """The categorical distribution, of vectors that are 1 at the place of a class and 0 elsewhere.

    Formula: p(x) = probs_k for the k with x_k = 1

    Args:
        probs: weights of the classes along the last dimension, which are divided by their sum.
        logits: logarithms of weights, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The parameter is (*batch_shape, K), and the event shape (K,).

    Raises:
        ValueError: as of `Categorical`.

    Example:
        >>> import specgrad as sg
        >>> classes = sg.distributions.OneHotCategorical(sg.tensor([1.0, 1.0, 2.0]))
        >>> classes.mode, classes.log_prob(sg.tensor([0.0, 1.0, 0.0]))
        (tensor([0., 0., 1.]), tensor(-1.3863))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(OneHotCategorical, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        super(OneHotCategorical, new).__init__(Size(batch_shape), self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return one_hot(self._categorical.mode, self._event_shape[0]).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return one_hot(self._categorical.sample(sample_shape), self._event_shape[0]).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, _ = broadcast_tensors(value, self.logits)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._event_shape[0]
        values = eye(count, dtype=self._param.dtype, device=self._param.device)
        values = values.view(count, *(1,) * len(self._batch_shape), count)
        return values.expand(count, *self._batch_shape, count) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` with gradients of samples: those that the probabilities would have in their place.

    The straight-through estimator of Bengio, Leonard and Courville, "Estimating or propagating gradients through
    stochastic neurons", 2013.

    Args:
        probs, logits, validate_args: as of `OneHotCategorical`.

    Example:
        >>> import specgrad as sg
        >>> logits = sg.zeros(2, requires_grad=True)
        >>> sample = sg.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample()
        >>> sample[0].backward()
        >>> logits.grad
        tensor([ 0.2500, -0.2500])
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = self._categorical.probs
        return self.sample(sample_shape) + (probs - probs.detach())
