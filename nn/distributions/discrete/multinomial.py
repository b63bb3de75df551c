"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import tensor
from ....runtime.modes.grad_mode import no_grad
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..parameters import broadcast_all
from .binomial import Binomial
from .categorical import Categorical

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """The multinomial distribution: how often each class comes in `total_count` draws of a categorical distribution.

    Formula: p(x) = total_count! prod_k probs_k^x_k / x_k!

    Args:
        total_count: the number of draws. Default: 1.
        probs: weights of the classes along the last dimension, which are divided by their sum.
        logits: logarithms of weights, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The parameter is (*batch_shape, K), and the event shape (K,).

    Raises:
        NotImplementedError: a number of draws that is no int.
        ValueError: as of `Categorical`.

    Example:
        >>> import specgrad as sg
        >>> counts = sg.distributions.Multinomial(4, sg.tensor([1.0, 3.0]))
        >>> counts.mean, counts.log_prob(sg.tensor([1.0, 3.0]))
        (tensor([1., 3.]), tensor(-0.8630))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

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

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new, shape = self._get_checked_instance(Multinomial, _instance), Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(shape)
        new._binomial = self._binomial.expand(shape + self.event_shape)
        super(Multinomial, new).__init__(shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
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
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

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

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        absent = (value == 0) & (logits == -float("inf"))
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits.masked_fill(absent, 0) * value).sum(-1)
