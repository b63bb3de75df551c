"""Distributions of several independent values as one event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from . import constraints
from .distribution import Distribution
from .parameters import _sum_rightmost

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution whose last batch dimensions are taken for dimensions of an event.

    Its density is the product over them, so `log_prob` and `entropy` are sums.

    Args:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: how many of its batch dimensions.
        validate_args: whether values are checked; None for the default.

    Raises:
        ValueError: more dimensions than the batch has.

    Example:
        >>> import specgrad as sg
        >>> from specgrad.distributions import Independent, Normal
        >>> diagonal = Independent(Normal(sg.zeros(3), sg.ones(3)), 1)
        >>> diagonal.batch_shape, diagonal.event_shape, diagonal.log_prob(sg.zeros(3))
        (specgrad.Size([]), specgrad.Size([3]), tensor(-2.7568))
    """

    arg_constraints: dict[str, constraints.Constraint] = {}

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

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        inner = tuple(self.event_shape[: self.reinterpreted_batch_ndims])
        new.base_dist = self.base_dist.expand((*batch_shape, *inner))
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether `rsample` gives numbers with gradients."""
        return bool(self.base_dist.has_rsample)

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether `enumerate_support` lists all values."""
        return self.reinterpreted_batch_ndims == 0 and bool(self.base_dist.has_enumerate_support)

    @constraints.dependent_property
    def support(self) -> Any:
        inner = self.base_dist.support
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(inner, dims) if dims else inner

    @property
    def mean(self) -> Tensor:
        found: Tensor = self.base_dist.mean
        return found

    @property
    def mode(self) -> Tensor:
        found: Tensor = self.base_dist.mode
        return found

    @property
    def variance(self) -> Tensor:
        found: Tensor = self.base_dist.variance
        return found

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        found: Tensor = self.base_dist.sample(sample_shape)
        return found

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        found: Tensor = self.base_dist.rsample(sample_shape)
        return found

    def log_prob(self, value: Tensor) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        found: Tensor = self.base_dist.enumerate_support(expand=expand)
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
