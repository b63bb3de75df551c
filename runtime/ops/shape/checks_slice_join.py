"""Argument checks of ops that cut tensors or join them: slices, splits, cat, stack, flip, roll, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import ShapeError
from ..indexing.checks_numbers import fitting_number
from .checks import distinct_dims

Ints = Sequence[int]

MOST_EMPTY_PIECES = 1_000_000  # more would only fill the memory


def select(op: str, self: Any, dim: int, index: int) -> tuple[Any, ...]:
    """Wraps `dim` and `index`."""
    if not self.ndim:
        raise IndexError(f"{op}() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(op, dim, self.ndim)
    size = self._shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"{op}(): index {index} out of range for tensor of size {list(self._shape)} at dimension {dim}"
        )
    return self, dim, index + size if index < 0 else index


def slice(op: str, self: Any, dim: int, start: int | None, end: int | None, step: int) -> tuple[Any, ...]:
    """Wraps `dim`; `step` above 0; `start` and `end` are clamped to the size as Python does."""
    dim = wrap_dim(op, dim, self.ndim, False)
    if step <= 0:
        raise ValueError(f"{op}(): slice step must be positive, got {step}")
    size = self._shape[dim]
    first = _clamped(0 if start is None else start, size)
    return self, dim, first, max(first, _clamped(size if end is None else end, size)), step


def _clamped(place: int, size: int) -> int:
    return max(place + size, 0) if place < 0 else min(place, size)


def narrow(op: str, self: Any, dim: int, start: int, length: int) -> tuple[Any, ...]:
    """Wraps `dim` and `start`; the piece must lie inside."""
    if not self.ndim:
        raise RuntimeError(f"{op}() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(op, dim, self.ndim)
    size = self._shape[dim]
    if length < 0:
        raise RuntimeError(f"{op}(): length must be non-negative, got {length}")
    if not -size <= start <= size:
        raise IndexError(f"{op}(): start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    first = start + size if start < 0 else start
    if first + length > size:
        raise RuntimeError(f"{op}(): start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return self, dim, first, length


def one_dim_not_scalar(op: str, self: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim` of a tensor that has dimensions."""
    return self, wrap_dim(op, dim, self.ndim, False)


def split(op: str, self: Any, split_size: int, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; pieces of size 0 only of nothing."""
    _require_dimensions(op, self)
    dim = wrap_dim(op, dim, self.ndim)
    if split_size < 0:
        raise RuntimeError(f"{op}() expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0 and self._shape[dim]:
        raise RuntimeError(f"{op}(): split_size can only be 0 if dimension size is 0, but got size {self._shape[dim]}")
    return self, split_size, dim


def split_sizes(op: str, self: Any, split_size: Ints, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; the pieces must make up the whole."""
    _require_dimensions(op, self)
    dim = wrap_dim(op, dim, self.ndim)
    if any(size < 0 for size in split_size):
        raise RuntimeError(f"{op}() expects split_sizes have only non-negative entries, got {list(split_size)}")
    if sum(split_size) != self._shape[dim]:
        raise RuntimeError(
            f"{op}() expects split_sizes to sum exactly to {self._shape[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_size)}"
        )
    return self, tuple(split_size), dim


def chunk(op: str, self: Any, chunks: int, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; at least one piece."""
    _require_dimensions(op, self)
    if chunks <= 0:
        raise RuntimeError(f"{op}() expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(op, dim, self.ndim)
    if not self._shape[dim] and chunks > MOST_EMPTY_PIECES:
        raise RuntimeError(f"{op}() gives at most {MOST_EMPTY_PIECES} pieces of an empty dimension, got: {chunks}")
    return self, chunks, dim


def _require_dimensions(op: str, self: Any) -> None:
    if not self.ndim:
        raise RuntimeError(f"{op}() expects at least a 1-dimensional tensor, got a 0-dimensional one")


def is_legacy_empty(shape: Ints) -> bool:
    """cat takes a tensor of shape (0,) for nothing at all, whatever the shapes of the others."""
    return tuple(shape) == (0,)


def cat(op: str, tensors: Sequence[Any], dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; shapes must agree in all other dimensions."""
    if not tensors:
        raise ValueError(f"{op}(): expected a non-empty list of Tensors")
    shapes = [t._shape for t in tensors]
    first = shapes[0]
    if first and not is_legacy_empty(first) and shapes.count(first) == len(shapes):
        return tensors, wrap_dim(op, dim, len(first))
    for position, tensor in enumerate(tensors):
        if not tensor.ndim:
            raise RuntimeError(f"{op}(): zero-dimensional tensor (at position {position}) cannot be concatenated")
    counted = [(i, shape) for i, shape in enumerate(shapes) if not is_legacy_empty(shape)]
    if not counted:
        return tensors, wrap_dim(op, dim, 1)
    first = counted[0][1]
    dim = wrap_dim(op, dim, len(first))
    for position, shape in counted:
        _require_alike(op, first, shape, dim, position)
    return tensors, dim


def _require_alike(op: str, first: Ints, shape: Ints, dim: int, position: int) -> None:
    if len(first) != len(shape):
        raise ShapeError(f"{op}(): Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    for d, (expected, size) in enumerate(zip(first, shape, strict=True)):
        if d != dim and expected != size:
            raise ShapeError(
                f"{op}(): Sizes of tensors must match except in dimension {dim}. Expected size {expected} "
                f"but got size {size} in dimension {d} for tensor number {position} in the list."
            )


def stack(op: str, tensors: Sequence[Any], dim: int) -> tuple[Any, ...]:
    """Wraps `dim` among the dimensions of the result; all shapes must be equal."""
    if not tensors:
        raise RuntimeError(f"{op}() expects a non-empty TensorList")
    first = tensors[0]._shape
    shapes = [t._shape for t in tensors]
    if shapes.count(first) != len(shapes):
        position, other = next((i, shape) for i, shape in enumerate(shapes) if shape != first)
        raise ShapeError(
            f"{op}() expects each tensor to be equal size, but got {list(first)} at entry 0 and "
            f"{list(other)} at entry {position}"
        )
    return tensors, wrap_dim(op, dim, len(first) + 1)


def flip(op: str, self: Any, dims: Ints) -> tuple[Any, ...]:
    """Wraps `dims`."""
    return self, distinct_dims(op, dims, self.ndim)


def roll(op: str, self: Any, shifts: Ints, dims: Ints) -> tuple[Any, ...]:
    """Wraps `dims`; one shift for each of them, or one for the flattened tensor."""
    if not shifts:
        raise RuntimeError(f"{op}(): `shifts` required")
    if len(shifts) != (len(dims) or 1):
        raise RuntimeError(f"{op}(): shifts and dimensions must align. shifts: {len(shifts)}, dims: {len(dims)}")
    return self, tuple(shifts), tuple(wrap_dim(op, dim, self.ndim, False) for dim in dims)


def constant_pad(op: str, self: Any, pad: Ints, value: Any) -> tuple[Any, ...]:
    """Pairs of (left, right) for the last dimensions, none of which may become negative."""
    if len(pad) % 2 or len(pad) > 2 * self.ndim:
        raise RuntimeError(
            f"{op}(): Length of pad must be even and no more than twice the number of dimensions of the "
            f"input, got {len(pad)} for an input of {self.ndim} dimensions"
        )
    for i in range(0, len(pad), 2):
        size = self._shape[-1 - i // 2]
        if size + min(pad[i], 0) + min(pad[i + 1], 0) < 0:
            raise RuntimeError(f"{op}(): padding {list(pad)} cuts more than there is of shape {list(self._shape)}")
    return self, tuple(pad), fitting_number(op, "value", value, self.dtype)
