"""Distributions of classes: their numbers, one-hot vectors, and how often each comes."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.creation import arange, eye, multinomial, tensor
from ...runtime.ops.shape.broadcast import broadcast_tensors
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import finfo, int64
from ...runtime.tensor.grad_mode import no_grad
from ..docstrings import completed_from
from ..functional import one_hot
from . import constraints
from .base.distribution import Distribution
from .base.parameters import (
    alias,
    derived,
    lazy_property,
    logit_limit,
    logits_to_probs,
    probs_to_logits,
    product,
)
from .base.parametric import PROBS_OR_LOGITS, require_one
from .bernoulli import Binomial, poisson_log_prob

__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class Categorical(Distribution):
    """The categorical distribution, of the numbers 0 to K - 1 of classes.

    Formula: p(k) = probs_k

    Args:
        probs: weights of the classes along the last dimension, which are divided by their sum.
        logits: logarithms of weights, instead.

    Shape: The parameter is (*batch_shape, K).

    Raises: ValueError: both parameters or none, a number alone, or weights that are negative or NaN.

    Example:
        >>> classes = sg.distributions.Categorical(sg.tensor([1.0, 1.0, 2.0]))
        >>> classes.probs, classes.log_prob(sg.tensor(2)), classes.entropy()
        (tensor([0.2500, 0.2500, 0.5000]), tensor(-0.6931), tensor(1.0397))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _expands = PROBS_OR_LOGITS
    _shares = ("_num_events",)

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

    def _has_probs_param(self) -> bool:
        return "logits" not in vars(self) or self._param is vars(self).get("probs")

    def _log_probs(self) -> Tensor:
        """The logarithms of the probabilities, also of those that the clamped `logits` do not tell from others.

        Of a probability of 0 the gradient is 0: where it is multiplied with the logarithm that is its limit.
        """
        if not self._has_probs_param():
            return self.logits
        impossible = self.probs == 0
        return self.probs.masked_fill(impossible, 1).log().masked_fill(impossible, -math.inf)

    def _finite_log_probs(self) -> Tensor:
        """For products with a probability that is 0 where the logarithm is not finite."""
        logs = self._log_probs()
        return logs.clamp(min=finfo(logs.dtype).min)

    param_shape = derived(lambda self: self._param.size(), "The shape of the parameter that was given.")
    mean = derived(lambda self: self.probs.new_full(self._extended_shape(), math.nan), "NaN: classes have no mean.")
    mode = derived(lambda self: self.probs.argmax(-1))
    variance = alias("mean", "NaN: classes have no variance.")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = Size(sample_shape)
            noise = multinomial(self.probs.reshape(-1, self._num_events), shape.numel(), True)
            return noise.T.reshape(self._extended_shape(shape))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        positions, table = value.long().unsqueeze(-1), self.probs if self._has_probs_param() else self.logits
        if positions.shape[:-1] != table.shape[:-1]:
            positions, table = broadcast_tensors(positions, table)
            positions = positions[..., :1]
        result = table.gather(-1, positions).squeeze(-1)
        return result.log() if self._has_probs_param() else result

    def entropy(self) -> Tensor:
        return -(self._finite_log_probs() * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._along(arange(self._num_events, dtype=int64, device=self._param.device), expand)


def _require_vector(name: str, value: Tensor) -> None:
    if value.dim() < 1:
        raise ValueError(f"`{name}` parameter must be at least one-dimensional.")


class OneHotCategorical(Distribution):
    """The categorical distribution, of vectors that are 1 at the place of a class and 0 elsewhere.

    Formula: p(x) = probs_k for the k with x_k = 1

    Args:
        probs: weights of the classes along the last dimension, which are divided by their sum.
        logits: logarithms of weights, instead.

    Shape: The parameter is (*batch_shape, K), and the event shape (K,).

    Raises: ValueError: as of `Categorical`.

    Example:
        >>> classes = sg.distributions.OneHotCategorical(sg.tensor([1.0, 1.0, 2.0]))
        >>> classes.mode, classes.log_prob(sg.tensor([0.0, 1.0, 0.0]))
        (tensor([0., 0., 1.]), tensor(-1.3863))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True
    _expands = ("_categorical",)

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    _param = alias("_categorical._param")
    probs = alias("_categorical.probs", "The probabilities.")
    logits = alias("_categorical.logits", "The logarithms of the probabilities.")
    param_shape = alias("_categorical.param_shape", "The shape of the parameter that was given.")
    mean = alias("probs")
    mode = derived(lambda self: one_hot(self._categorical.mode, self._event_shape[0]).to(self.probs.dtype))
    variance = derived(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return one_hot(self._categorical.sample(sample_shape), self._event_shape[0]).to(self.probs.dtype)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        value, _ = broadcast_tensors(value, self.logits)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._along(eye(self._event_shape[0], dtype=self._param.dtype, device=self._param.device), expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` with gradients of samples: those that the probabilities would have in their place.

    The straight-through estimator of Bengio, Leonard and Courville, "Estimating or propagating gradients through
    stochastic neurons", 2013.

    Args:
        probs, logits, validate_args: as of `OneHotCategorical`.

    Example:
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


@completed_from(OneHotCategorical)
class Multinomial(Distribution):
    """The multinomial distribution: how often each class comes in `total_count` draws of a categorical distribution.

    Formula: p(x) = total_count! prod_k probs_k^x_k / x_k!

    Args:
        total_count: the number of draws. Default: 1.

    Raises:
        NotImplementedError: a number of draws that is no int.
        ValueError: as of `Categorical`.

    Example:
        >>> counts = sg.distributions.Multinomial(4, sg.tensor([1.0, 3.0]))
        >>> counts.mean, counts.log_prob(sg.tensor([1.0, 3.0]))
        (tensor([1., 3.]), tensor(-0.8630))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int
    _expands = ("_categorical", "_binomial")
    _shares = ("total_count",)

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    probs = alias("_categorical.probs", "The probabilities of the classes.")
    logits = alias("_categorical.logits", "The logarithms of the probabilities.")
    param_shape = alias("_categorical.param_shape", "The shape of the parameter that was given.")
    mean = derived(lambda self: self.probs * self.total_count)
    variance = derived(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            classes = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
            counts = self.probs.new_zeros(self._extended_shape(sample_shape))
            return counts.scatter_add_(-1, classes, counts.new_ones(classes.shape))

    def entropy(self) -> Tensor:
        count = tensor(self.total_count)
        alone = count * self._categorical.entropy() - (count + 1).lgamma()
        values = self._binomial.enumerate_support(expand=False)[1:]
        factorials = self._binomial.log_prob(values).exp() * (values + 1).lgamma()
        return alone + factorials.sum((0, -1))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        classes, total = self._categorical, value.sum(-1, True)
        of_total = poisson_log_prob(total, total).squeeze(-1)
        if classes._has_probs_param():
            return poisson_log_prob(value, total * classes.probs).sum(-1) - of_total
        limit = logit_limit(self.logits.dtype)
        limited = self.logits.clamp(min=-limit)
        rest = (self.logits - limited).masked_fill(self.logits >= -limit, 0)
        return (poisson_log_prob(value, total * limited.exp()) + product(value, rest)).sum(-1) - of_total
