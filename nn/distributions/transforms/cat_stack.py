"""Transforms of tensors in parts, each part by a transform of its own."""

from collections.abc import Callable, Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from .. import constraints
from ..base.parameters import _sum_rightmost, derived
from .base import BIJECTIVE, CODOMAIN, DOMAIN, Transform

__all__ = ["CatTransform", "StackTransform"]


class _MultiTransform(Transform):
    transforms: list[Transform]
    _parts: Callable[[Tensor], tuple[Tensor, ...]]
    _join: Callable[..., Tensor]  # of tensors
    _constraint: Callable[..., Any]  # made of those of the transforms, and of the arguments behind these

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(transform, Transform) for transform in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [transform.with_cache(cache_size) for transform in tseq] if cache_size else [*tseq]
        self.dim = dim

    def _check(self, value: Tensor, size: int) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for tensor with {value.dim()} dimensions")
        if value.size(self.dim) != size:
            raise AssertionError(f"Size at dim {self.dim} is {value.size(self.dim)}, expected {size}")

    bijective = derived(lambda self: all(transform.bijective for transform in self.transforms), BIJECTIVE)
    domain = derived(lambda self: self._combine("domain"), DOMAIN)
    codomain = derived(lambda self: self._combine("codomain"), CODOMAIN)

    def _combine(self, name: str) -> Any:
        constraints = [getattr(transform, name) for transform in self.transforms]
        return self._constraint(constraints, *[getattr(self, argument) for argument in self._arguments[1:]])

    def _call(self, x: Tensor) -> Tensor:
        parts = zip(self.transforms, self._parts(x), strict=True)
        return self._join([transform(part) for transform, part in parts], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        parts = zip(self.transforms, self._parts(y), strict=True)
        return self._join([transform.inv(part) for transform, part in parts], self.dim)


class CatTransform(_MultiTransform):
    """Transforms of the parts of what `cat` joins, compatible with `cat` of what they give.

    Args:
        tseq: a transform for each part.
        dim: the dimension along which the parts lie.
        lengths: the size of each part there. Default: 1 for each.
        cache_size: 0, or 1 for a cache of the last value in each of them.

    Raises: AssertionError: something else than transforms, or lengths that do not fit.

    Example:
        >>> from specgrad.distributions import CatTransform, ExpTransform, identity_transform
        >>> CatTransform([ExpTransform(), identity_transform], lengths=[1, 2])(sg.zeros(3))
        tensor([1., 0., 0.])
    """

    _arguments = ("transforms", "dim", "lengths")
    _join, _constraint = staticmethod(ops.cat), constraints.cat

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else [*lengths]
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match tseq ({len(self.transforms)})")

    event_dim = derived(lambda self: max(transform.event_dim for transform in self.transforms))
    length = derived(lambda self: sum(self.lengths), "The size of all parts together.")

    def _parts(self, value: Tensor) -> tuple[Tensor, ...]:
        self._check(value, self.length)
        return tuple(value.split(self.lengths, self.dim))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = []
        for transform, before, after in zip(self.transforms, self._parts(x), self._parts(y), strict=True):
            term = transform.log_abs_det_jacobian(before, after)
            terms.append(_sum_rightmost(term, self.event_dim - transform.event_dim))
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return ops.cat(terms, dim) if dim < 0 else sum(terms[1:], terms[0])  # parts of an event: one determinant


class StackTransform(_MultiTransform):
    """Transforms of the parts of what `stack` joins, compatible with `stack` of what they give.

    Args:
        tseq: a transform for each part.
        dim: the dimension along which the parts lie.
        cache_size: 0, or 1 for a cache of the last value in each of them.

    Raises: AssertionError: something else than transforms.

    Example:
        >>> from specgrad.distributions import ExpTransform, StackTransform, identity_transform
        >>> StackTransform([ExpTransform(), identity_transform])(sg.zeros(2, 3))
        tensor([[1., 1., 1.],
                [0., 0., 0.]])
    """

    _arguments = ("transforms", "dim")
    _join, _constraint = staticmethod(ops.stack), constraints.stack

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def _parts(self, value: Tensor) -> tuple[Tensor, ...]:
        self._check(value, len(self.transforms))
        return tuple(value.unbind(self.dim))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        parts = zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        return ops.stack([transform.log_abs_det_jacobian(*pair) for transform, *pair in parts], self.dim)
