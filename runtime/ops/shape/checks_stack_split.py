"""Argument checks of ops that join tensors, cut them at places, and turn and repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import ShapeError
from ...tensor.dtypes import int64

Ints = Sequence[int]

MOST_PIECES = 1_000_000  # more would only fill the memory


def not_empty(op: str, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """At least one tensor."""
    if not tensors:
        raise RuntimeError(f"{op}() expects a non-empty TensorList")
    return (tensors,)


def tensor_split(op: str, self: Any, places: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; at least one section."""
    require_dimensions(op, self, 1)
    if isinstance(places, int) and not 0 < places <= MOST_PIECES:
        raise RuntimeError(f"{op}(): number of sections must be larger than 0 and at most {MOST_PIECES}, got {places}")
    return self, places, wrap_dim(op, dim, self.ndim)


def tensor_split_by(op: str, self: Any, tensor_indices_or_sections: Any, dim: int) -> tuple[Any, ...]:
    """int64 numbers of at most one dimension, which become an int or ints."""
    places = tensor_indices_or_sections
    if places._dtype is not int64:
        raise RuntimeError(
            f"{op}(): expected tensor_indices_or_sections to have dtype of long, but got {places._dtype}"
        )
    if places.ndim > 1:
        raise RuntimeError(
            f"{op}(): expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got "
            f"{places.ndim} dims"
        )
    if getattr(places, "is_example", False):
        raise RuntimeError(
            f"vmap: {op}() by other places in each example: the shape of its result depends on the values"
        )
    return tensor_split(op, self, places.tolist(), dim)


def require_dimensions(op: str, self: Any, least: int) -> None:
    """At least so many dimensions."""
    if self.ndim < least:
        raise RuntimeError(
            f"{op}() expected a tensor with at least {least} dimension(s), but got a tensor with {self.ndim} dimensions"
        )


def _equal_pieces(op: str, self: Any, places: Any, dim: int) -> tuple[Any, ...]:
    if isinstance(places, int) and (not places or self._shape[dim] % places):
        raise RuntimeError(
            f"{op}() attempted to split along dimension {dim}, but the size of the dimension {self._shape[dim]} is not "
            f"divisible by the split_size {places}"
        )
    return self, places


def hsplit(op: str, self: Any, places: Any) -> tuple[Any, ...]:
    """At least one dimension; pieces of equal size."""
    require_dimensions(op, self, 1)
    return _equal_pieces(op, self, places, min(self.ndim - 1, 1))


def vsplit(op: str, self: Any, places: Any) -> tuple[Any, ...]:
    """At least two dimensions; pieces of equal size."""
    require_dimensions(op, self, 2)
    return _equal_pieces(op, self, places, 0)


def dsplit(op: str, self: Any, places: Any) -> tuple[Any, ...]:
    """At least three dimensions; pieces of equal size."""
    require_dimensions(op, self, 3)
    return _equal_pieces(op, self, places, 2)


def at_least_1d(op: str, self: Any) -> tuple[Any, ...]:
    """At least one dimension."""
    require_dimensions(op, self, 1)
    return (self,)


def at_least_2d(op: str, self: Any) -> tuple[Any, ...]:
    """At least two dimensions."""
    require_dimensions(op, self, 2)
    return (self,)


def rot90(op: str, self: Any, k: int, dims: Ints) -> tuple[Any, ...]:
    """Wraps two dimensions, which must differ."""
    if len(dims) != 2:
        raise RuntimeError(f"{op}(): expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.ndim < 2:
        raise RuntimeError(f"{op}(): expected total dims >= 2, but got total dims = {self.ndim}")
    first, second = (wrap_dim(op, dim, self.ndim) for dim in dims)
    if first == second:
        raise RuntimeError(
            f"{op}(): expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return self, k, (first, second)


def adjoint(op: str, self: Any) -> tuple[Any, ...]:
    """No vector."""
    if self.ndim == 1:
        raise RuntimeError(f"{op}() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return (self,)


def unfold(op: str, self: Any, dimension: int, size: int, step: int) -> tuple[Any, ...]:
    """Wraps `dimension`; windows that fit, at least one step apart."""
    dim = wrap_dim(op, dimension, self.ndim)
    if size < 0:
        raise RuntimeError(f"{op}(): size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"{op}(): step is {step} but must be > 0")
    most = self._shape[dim] if self.ndim else 1
    if size > most:
        raise RuntimeError(f"{op}(): maximum size for tensor at dimension {dim} is {most} but size is {size}")
    return self, dim, size, step


def unfold_backward(op: str, grad: Any, sizes: Ints, dim: int, length: int, step: int) -> tuple[Any, ...]:
    """Wraps `dim`; the gradient has one window of `length` at each step."""
    dim = wrap_dim(op, dim, len(sizes))
    if min((*sizes, length), default=0) < 0 or step < 1:
        raise ShapeError(
            f"{op}(): expected sizes that are not negative and step > 0, got {list(sizes)}, {length}, {step}"
        )
    size = sizes[dim] if sizes else 1
    count = (size - length) // step + 1
    expected = (*sizes[:dim], count, *sizes[dim + 1 :], length) if sizes else (length,)
    if grad._shape != expected:
        raise ShapeError(f"{op}(): expected grad_output of shape {list(expected)}, got {list(grad._shape)}")
    return grad, tuple(sizes), dim, length, step
