"""Distributions of transformed samples of another distribution."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.shapes import Size
from ...runtime.tensor.grad_mode import no_grad
from . import constraints
from .base.distribution import Distribution
from .base.parameters import _sum_rightmost
from .independent import Independent
from .transforms import ComposeTransform, Transform

__all__ = ["TransformedDistribution"]


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

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether `rsample` gives numbers with gradients."""
        return bool(self.base_dist.has_rsample)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        self._check(value)
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
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

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
