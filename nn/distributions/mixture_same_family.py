"""Mixtures of distributions of one family."""

from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.tensor.grad_mode import no_grad
from . import constraints
from .base.distribution import Distribution
from .base.parameters import alias, derived
from .categorical import Categorical

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: a component is drawn, and a sample from that component.

    Formula: p(x) = sum(w_k p_k(x))

    Args:
        mixture_distribution: a Categorical with the weights; its number of classes is that of components.
        component_distribution: a distribution whose last batch dimension is that of the components.
        validate_args: whether values are checked; None for the default.

    Shape: The batch shape is that of the components without its last dimension.

    Raises: ValueError: not a Categorical and a Distribution, or batch shapes that do not fit.

    Example:
        >>> from specgrad.distributions import Categorical, MixtureSameFamily, Normal
        >>> mixture = MixtureSameFamily(Categorical(sg.ones(2)), Normal(sg.tensor([-1.0, 1.0]), sg.ones(2)))
        >>> mixture.mean, mixture.variance, mixture.cdf(sg.tensor(0.0))
        (tensor(0.), tensor(2.), tensor(0.5000))
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False
    _expands = ("_component_distribution", "_mixture_distribution")
    _shares = ("_num_component", "_event_ndims")

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        _check(mixture_distribution, component_distribution)
        self._num_component = component_distribution.batch_shape[-1]
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(component_distribution.batch_shape[:-1], event_shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = alias("_mixture_distribution", "The distribution of the component's number.")
    component_distribution = alias("_component_distribution", "The components, along the last batch dimension.")

    def _weights(self) -> Tensor:
        return self._pad_mixture_dimensions(self.mixture_distribution.probs)

    mean = derived(lambda self: (self._weights() * self.component_distribution.mean).sum(-1 - self._event_ndims))

    @property
    def variance(self) -> Tensor:
        """The mean variance of components and the variance of their means."""
        dim, weights, components = -1 - self._event_ndims, self._weights(), self.component_distribution
        difference = components.mean - self._pad(self.mean)
        return (weights * (components.variance + difference.pow(2))).sum(dim)

    def cdf(self, value: Tensor) -> Tensor:
        result = self.component_distribution.cdf(self._pad(value))
        return (result * self.mixture_distribution.probs).sum(-1)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        result = self.component_distribution.log_prob(self._pad(value))
        return ops.logsumexp(result + self.mixture_distribution._log_probs(), -1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.expand(self.batch_shape).sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            index = chosen.reshape((*chosen.shape, 1) + (1,) * self._event_ndims)
            shape = (*index.shape[: dim + 1], *self.event_shape)
            return samples.gather(dim, index.expand(shape)).squeeze(dim)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        ours, theirs = len(self.batch_shape), len(self.mixture_distribution.batch_shape)
        missing = 0 if theirs == 0 else ours - theirs
        return x.reshape((*x.shape[:-1], *(1,) * missing, *x.shape[-1:], *(1,) * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"


def _check(mixture: Any, components: Any) -> None:
    if not isinstance(mixture, Categorical):
        raise ValueError("The Mixture distribution needs to be an instance of torch.distributions.Categorical")
    if not isinstance(components, Distribution):
        raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
    batch = components.batch_shape[:-1]
    for size, other in zip(reversed(mixture.batch_shape), reversed(batch), strict=False):
        if size != 1 and other != 1 and size != other:
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({mixture.batch_shape}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
    classes, count = mixture.logits.shape[-1], components.batch_shape[-1]
    if classes != count:
        raise ValueError(
            f"`mixture_distribution component` ({classes}) does not equal "
            f"`component_distribution.batch_shape[-1]` ({count})"
        )
