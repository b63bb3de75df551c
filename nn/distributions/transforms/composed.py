"""Transforms made of transforms, or of shapes: one after the other, over larger events, and reshaping."""

import functools
import math
import operator
import weakref
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.ops.creation import zeros_like
from ....runtime.shapes import Size
from .. import constraints
from ..base.parameters import _sum_rightmost, alias, derived
from .base import BIJECTIVE, CODOMAIN, DOMAIN, Transform, needed_dims

__all__ = ["ComposeTransform", "IndependentTransform", "ReshapeTransform", "identity_transform"]


def _end(parts: Sequence[Transform], begin: str, end: str) -> Any:
    """The "codomain" of transforms one after the other; or the "domain", where they are gone through backwards."""
    if not parts:
        return constraints.real
    dims = getattr(parts[0], begin).event_dim
    for part in parts:
        constraint = getattr(part, end)
        dims = max(dims + constraint.event_dim - getattr(part, begin).event_dim, constraint.event_dim)
    more = dims - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


class ComposeTransform(Transform):
    """Transforms one after the other; none of them is the identity.

    Args:
        parts: the transforms, the one that is applied first in front.
        cache_size: 0, or 1 for a cache of the last value in each of them.

    Example:
        >>> from specgrad.distributions import AffineTransform, ComposeTransform, ExpTransform
        >>> both = ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])
        >>> both(sg.tensor(0.0)), both.inv(sg.tensor(1.0))
        (tensor(1.), tensor(0.))
    """

    _arguments = ("parts",)

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    domain = derived(lambda self: _end(self.parts[::-1], "codomain", "domain"), DOMAIN)
    codomain = derived(lambda self: _end(self.parts, "domain", "codomain"), CODOMAIN)

    bijective = derived(lambda self: all(part.bijective for part in self.parts), BIJECTIVE)
    sign = derived(lambda self: functools.reduce(operator.mul, (part.sign for part in self.parts), 1))

    def _make_inverse(self) -> Transform:
        inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
        inverse._inv = weakref.ref(self)
        return inverse

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, dims = [], self.domain.event_dim
        for part, before, after in zip(self.parts, values, values[1:], strict=False):
            terms.append(_sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return functools.reduce(lambda result, part: part.forward_shape(result), self.parts, shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return functools.reduce(lambda result, part: part.inverse_shape(result), reversed(self.parts), shape)

    def __repr__(self) -> str:
        parts = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {parts}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform of events with more dimensions: its log-determinant is summed over these.

    Args:
        base_transform: the transform.
        reinterpreted_batch_ndims: how many more dimensions an event has.

    Example:
        >>> from specgrad.distributions import ExpTransform, IndependentTransform
        >>> x = sg.tensor([1.0, 2.0])
        >>> IndependentTransform(ExpTransform(), 1).log_abs_det_jacobian(x, x.exp())
        tensor(3.)
    """

    _arguments = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _widened(self, constraint: Any) -> Any:
        return constraints.independent(constraint, self.reinterpreted_batch_ndims)

    domain = derived(lambda self: self._widened(self.base_transform.domain), DOMAIN)
    codomain = derived(lambda self: self._widened(self.base_transform.codomain), CODOMAIN)
    bijective = alias("base_transform.bijective", BIJECTIVE)
    sign = alias("base_transform.sign")

    def _call(self, x: Tensor) -> Tensor:
        needed_dims(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        needed_dims(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Events of another shape with the same numbers.

    Args:
        in_shape: the shape of arguments, without the batch.
        out_shape: the shape of results, without the batch.

    Raises: ValueError: the shapes differ in their number of elements.

    Example:
        >>> sg.distributions.ReshapeTransform((4,), (2, 2))(sg.zeros(5, 4)).shape
        specgrad.Size([5, 2, 2])
    """

    bijective = True
    _arguments = ("in_shape", "out_shape")

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    domain = derived(lambda self: constraints.independent(constraints.real, len(self.in_shape)), DOMAIN)
    codomain = derived(lambda self: constraints.independent(constraints.real, len(self.out_shape)), CODOMAIN)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return _with_event(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return _with_event(shape, self.out_shape, self.in_shape)


def _with_event(shape: Sequence[int], event: Size, requested: Size) -> Size:
    batch = len(needed_dims(shape, len(event))) - len(event)
    if Size(shape)[batch:] != event:
        raise ValueError(f"Shape mismatch: expected {Size(shape)[batch:]} but got {event}")
    return Size(shape)[:batch] + requested
