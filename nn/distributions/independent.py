"""Distributions of another one's samples: more dimensions in events, or transformed; and exponential families."""

import functools
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.autograd.backward import grad
from ...runtime.shapes import Size
from ...runtime.tensor.grad_mode import enable_grad, is_grad_enabled, no_grad
from . import constraints
from .base.distribution import Distribution
from .base.parameters import _sum_rightmost, alias
from .transforms import ComposeTransform, Transform

__all__ = ["ExponentialFamily", "Independent", "TransformedDistribution"]


class ExponentialFamily(Distribution):
    """The abstract base class of exponential families.

    Formula: p(x) = exp(<t(x), theta> - F(theta) + k(x))

    theta are the natural parameters, t the sufficient statistic, F the logarithm of the normaliser and k the carrier
    measure. A derived class has the property `_natural_params`, the method `_log_normalizer(*params)` and the number or
    property `_mean_carrier_measure`, the mean of k.

    Args:
        batch_shape: the shape of the parameters that differ between distributions.
        event_shape: the shape of one sample of one of them.
        validate_args: whether parameters and values are checked.

    Example:
        >>> normal = sg.distributions.Normal(0.0, 1.0)
        >>> isinstance(normal, sg.distributions.ExponentialFamily)
        True
        >>> sg.distributions.ExponentialFamily.entropy(normal)
        tensor(1.4189)
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """The natural parameters, each of `batch_shape` and dimensions of its own."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Tensor | float:
        """The mean of k(x)."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of the batch shape: F(theta) - <theta, grad F(theta)> - E[k(x)].

        The mean of the sufficient statistic is the gradient of F, so no integral is needed.
        """
        params, log_normalizer, means = self._normalizer_and_means()
        result = log_normalizer - self._mean_carrier_measure
        for param, mean in zip(params, means, strict=True):
            product = param * mean
            result = result - product.reshape((*self._batch_shape, -1)).sum(-1)
        return result

    def _normalizer_and_means(self) -> tuple[tuple[Tensor, ...], Tensor, tuple[Tensor, ...]]:
        """The natural parameters, F of them, and its gradients, which are the means of the sufficient statistics."""
        natural = self._natural_params
        recorded = is_grad_enabled() and any(param.requires_grad for param in natural)
        with enable_grad():
            # Tensors of their own, so that a parameter that another is computed from does not count for that one too.
            params = [p.view_as(p) if recorded and p.requires_grad else p.detach()._requiring_grad() for p in natural]
            log_normalizer = self._log_normalizer(*params)
            means = grad(log_normalizer.sum(), params, create_graph=recorded)
        if recorded:
            return tuple(params), log_normalizer, means
        return tuple(p.detach() for p in params), log_normalizer.detach(), means


class Independent(Distribution):
    """A distribution whose last batch dimensions are taken for dimensions of an event.

    Its density is the product over them, so `log_prob` and `entropy` are sums.

    Args:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: how many of its batch dimensions.
        validate_args: whether values are checked; None for the default.

    Raises: ValueError: more dimensions than the batch has.

    Example:
        >>> from specgrad.distributions import Independent, Normal
        >>> diagonal = Independent(Normal(sg.zeros(3), sg.ones(3)), 1)
        >>> diagonal.batch_shape, diagonal.event_shape, diagonal.log_prob(sg.zeros(3))
        (specgrad.Size([]), specgrad.Size([3]), tensor(-2.7568))
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    _expands = ("base_dist",)
    _shares = ("reinterpreted_batch_ndims",)

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        batch = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:batch], shape[batch:], validate_args=validate_args)

    has_rsample = alias("base_dist.has_rsample", "Whether `rsample` gives numbers with gradients.")

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether `enumerate_support` lists all values."""
        return self.reinterpreted_batch_ndims == 0 and bool(self.base_dist.has_enumerate_support)

    @constraints.dependent_property
    def support(self) -> Any:
        inner = self.base_dist.support
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(inner, dims) if dims else inner

    mean = alias("base_dist.mean")
    mode = alias("base_dist.mode")
    variance = alias("base_dist.variance")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """The distribution of t_n(... t_1(x)) for x from a base distribution.

    Formula: log p(y) = log p_base(x) - sum(log |d t_i|)

    Where the transforms are about larger events than the base, the last batch dimensions of this become part of
    events.

    Args:
        base_distribution: the distribution of x.
        transforms: a transform, or a list of them, the one that is applied first in front.
        validate_args: whether values are checked; None for the default.

    Raises: ValueError: something else than transforms, or a base with too few dimensions for them.

    Example:
        >>> from specgrad.distributions import ExpTransform, Normal, TransformedDistribution
        >>> log_normal = TransformedDistribution(Normal(0.0, 1.0), ExpTransform())
        >>> log_normal.log_prob(sg.tensor(1.0)), log_normal.cdf(sg.tensor(1.0))
        (tensor(-0.9189), tensor(0.5000))
    """

    arg_constraints: Any = {}
    base_dist: Any
    _expands: tuple[str, ...] = ()
    _shares = ("transforms",)

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = _listed(transforms)
        composed = ComposeTransform(self.transforms)
        base = _fitting(base_distribution, composed)
        shape = composed.forward_shape(base.batch_shape + base.event_shape)
        more = composed.domain.event_dim - len(base.event_shape)
        self.base_dist = Independent(base, more) if more > 0 else base
        change = composed.codomain.event_dim - composed.domain.event_dim
        batch = len(shape) - max(composed.codomain.event_dim, len(base.event_shape) + change)
        super().__init__(Size(shape[:batch]), Size(shape[batch:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        shape: Any = new.batch_shape + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        codomain = self.transforms[-1].codomain
        more = len(self.event_shape) - codomain.event_dim
        return constraints.independent(codomain, more) if more > 0 else codomain

    has_rsample = alias("base_dist.has_rsample", "Whether `rsample` gives numbers with gradients.")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def _log_prob_of(self, value: Tensor) -> Tensor:
        dims, change, y = len(self.event_shape), value.new_zeros(()), value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            term = transform.log_abs_det_jacobian(x, y)
            change = change + _sum_rightmost(term, dims - transform.domain.event_dim)
            y = x
        return _sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape)) - change

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        sign = functools.reduce(lambda result, transform: result * transform.sign, self.transforms, 1)
        if isinstance(sign, Tensor):
            return ops.where(sign > 0, value, 1 - value)
        return value if sign > 0 else 1 - value

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._forward(self.base_dist.icdf(self._monotonize_cdf(value)))


def _listed(transforms: Any) -> list[Transform]:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(transform, Transform) for transform in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms


def _fitting(base: Any, composed: ComposeTransform) -> Any:
    shape = base.batch_shape + base.event_shape
    if len(shape) < composed.domain.event_dim:
        raise ValueError(
            "base_distribution needs to have shape with size at least "
            f"{composed.domain.event_dim}, but got {tuple(shape)}."
        )
    needed = Size(composed.inverse_shape(composed.forward_shape(shape)))
    return base if needed == shape else base.expand(needed[: len(needed) - len(base.event_shape)])
