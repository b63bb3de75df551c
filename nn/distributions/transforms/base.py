"""What a transform is: a function of tensors with its inverse, its log-determinant and a cache of one value."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ....runtime.shapes import Size
from ...docstrings import completed_within
from ..base.parameters import alias

__all__ = ["Transform"]

DOMAIN = "The constraint of what it is applied to."
CODOMAIN = "The constraint of what it gives."
BIJECTIVE = "Whether each output comes from one input."


class Transform:
    """The abstract base class of transforms that are invertible, and differentiable with a known determinant.

    A derived class has `domain`, `codomain`, `bijective`, `sign` where it is monotone, and the methods `_call`,
    `_inverse` and `log_abs_det_jacobian`. With a cache the inverse of the last result is its argument, the very
    tensor: useful where an inverse is expensive or not exact. Transforms are equal by what they compute.

    Args:
        cache_size: 0 for no cache, 1 for the last value.

    Attributes:
        domain: the constraint of arguments.
        codomain: the constraint of results.
        bijective: whether `t.inv(t(x))` is x and `t(t.inv(y))` is y.
        sign: of a monotone function of numbers: 1 where it increases, -1 where it decreases.

    Raises: ValueError: another cache_size.

    Example:
        >>> exp = sg.distributions.ExpTransform()
        >>> x = sg.tensor([0.0, 2.0])
        >>> y = exp(x)
        >>> exp.inv(y), exp.log_abs_det_jacobian(x, y), exp.codomain
        (tensor([0., 2.]), tensor([0., 2.]), GreaterThan(lower_bound=0.0))
    """

    _arguments: tuple[str, ...]  # the attributes that have what a constructor takes besides cache_size
    bijective: Any = False
    domain: Any
    codomain: Any

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        completed_within(__name__, cls, Transform)

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None  # a weak reference to the inverse, once that was asked for
        self._cached_x_y: tuple[Any, Any] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_inv": None}  # weak references cannot be pickled

    @property
    def event_dim(self) -> int:
        """How many dimensions an event has, before and after; a ValueError where the numbers differ."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return self.domain.event_dim

    @property
    def inv(self) -> "Transform":
        """The inverse, which shares the cache and has this transform as its own inverse."""
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = self._make_inverse()
            self._inv = weakref.ref(inverse)
        return inverse

    def _make_inverse(self) -> "Transform":
        return _InverseTransform(self)

    @property
    def sign(self) -> Any:
        """1 for an increasing function of numbers, -1 for a decreasing one; a NotImplementedError for others."""
        raise NotImplementedError(f"{type(self).__name__} has no `sign`, which cdf() and icdf() ask for")

    def with_cache(self, cache_size: int = 1) -> "Transform":
        """The same transform with a cache of another `cache_size`, 0 or 1."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        for cls in type(self).__mro__:
            if "_arguments" in vars(cls):
                return cls(*[getattr(self, name) for name in self._arguments], cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __call__(self, x: Tensor) -> Tensor:
        argument_checks.tensor(type(self).__name__, "x", x)
        return self._cached(self._call, x, 0)

    def _inv_call(self, y: Tensor) -> Tensor:
        argument_checks.tensor(f"{type(self).__name__}.inv", "y", y)
        return self._cached(self._inverse, y, 1)

    def _cached(self, function: Callable[[Tensor], Tensor], value: Tensor, index: int) -> Tensor:
        if self._cache_size and value is self._cached_x_y[index]:
            return self._cached_x_y[1 - index]
        result = function(value)
        if self._cache_size:
            self._cached_x_y = (result, value) if index else (value, result)
        return result

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |dy/dx| for arguments `x` and their results `y`, of the shape without the dimensions of an event."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Sequence[int]) -> Any:
        """The shape of results of arguments of this `shape`."""
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        """The shape of arguments that have results of this `shape`."""
        return shape


class _InverseTransform(Transform):
    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    domain = alias("_inv.codomain", DOMAIN)
    codomain = alias("_inv.domain", CODOMAIN)
    bijective = alias("_inv.bijective", BIJECTIVE)
    sign = alias("_inv.sign")
    inv = alias("_inv")

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self.inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self.inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self._inv.forward_shape(shape)


class Parameterless(Transform):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


def needed_dims(shape: Sequence[int], dims: int) -> Size:
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")
    return Size(shape)
