"""Argument checks of views: dimensions counted from the front, complete sizes, slices clamped to the size."""

import functools
from math import prod
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...errors import ShapeError
from ...tensor import view_shapes
from ...tensor.view_shapes import Ints
from ..creation.options import checked_size


@functools.lru_cache(maxsize=4096)
def complete_size(op: str, size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """`size` with its -1 replaced by what makes it hold `numel` elements; without any, sizes may still be too large."""
    if prod(size) == numel and min(size, default=0) >= 0:
        return tuple(size) if numel else checked_size(op, tuple(size))
    for position, n in enumerate(size):
        if n < -1:
            raise ShapeError(f"{op}(): invalid shape dimension {n} at index {position} of shape {list(size)}")
    if list(size).count(-1) > 1:
        raise ShapeError(f"{op}(): only one dimension can be inferred, got shape {list(size)}")
    known = prod(n for n in size if n != -1)
    if -1 in size and not known and not numel:
        raise ShapeError(
            f"{op}(): cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if known != numel and not (-1 in size and known and numel % known == 0):
        raise ShapeError(f"{op}(): shape '{list(size)}' is invalid for input of size {numel}")
    result = tuple(numel // known if n == -1 else n for n in size)
    return result if numel else checked_size(op, result)


def view(op: str, self: Any, size: Ints) -> tuple[Any, ...]:
    """`size` with at most one -1, reachable without moving elements."""
    size = complete_size(op, size, self.numel())
    if not self.is_contiguous() and view_shapes.view(self._shape, self.stride(), 0, size) is None:
        raise ShapeError(
            f"{op}(): view size {list(size)} is not compatible with size {list(self._shape)} "
            f"and stride {list(self.stride())} (at least one dimension spans two contiguous subspaces). "
            "Use .reshape(...) instead."
        )
    return self, size


def reshape(op: str, self: Any, shape: Ints) -> tuple[Any, ...]:
    """`shape` with at most one -1, for the same number of elements."""
    return self, complete_size(op, shape, self.numel())


def flatten(op: str, self: Any, start_dim: int, end_dim: int) -> tuple[Any, ...]:
    """Wraps both dimensions."""
    start, end = wrap_dim(op, start_dim, self.ndim), wrap_dim(op, end_dim, self.ndim)
    if start > end:
        raise RuntimeError(
            f"{op}() has invalid args: start_dim cannot come after end_dim, got {start_dim} and {end_dim}"
        )
    return self, start, end


def two_dims(op: str, self: Any, dim0: int, dim1: int) -> tuple[Any, ...]:
    """Wraps both dimensions."""
    return self, wrap_dim(op, dim0, self.ndim), wrap_dim(op, dim1, self.ndim)


def permute(op: str, self: Any, dims: Ints) -> tuple[Any, ...]:
    """Wraps `dims`, which must name every dimension once."""
    if len(dims) != self.ndim:
        raise RuntimeError(
            f"{op}(): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions: input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    return self, distinct_dims(op, dims, self.ndim)


def distinct_dims(op: str, dims: Ints, ndim: int) -> tuple[int, ...]:
    """`dims` counted from the front, in the given order; none may come twice."""
    wrapped = tuple(wrap_dim(op, dim, ndim) for dim in dims)
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"{op}(): dim {dim} appears multiple times in the list of dims {list(dims)}")
    return wrapped


def t(op: str, self: Any) -> tuple[Any, ...]:
    """At most two dimensions."""
    if self.ndim > 2:
        raise RuntimeError(f"{op}() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return (self,)


def distinct(op: str, self: Any, dims: Ints) -> tuple[Any, ...]:
    """Wraps `dims`, of which none may come twice."""
    return self, distinct_dims(op, dims, self.ndim)


def unsqueeze(op: str, self: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim` among the dimensions of the result."""
    return self, wrap_dim(op, dim, self.ndim + 1)


def expand(op: str, self: Any, size: Ints) -> tuple[Any, ...]:
    """`size` to which dimensions of size 1 can be repeated; -1 stands for the size there is."""
    shape, new = self._shape, len(size) - self.ndim
    if new < 0:
        raise ShapeError(
            f"{op}(): the number of sizes provided ({len(size)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({self.ndim})"
        )
    result = [*size[:new], *(n if m == -1 else m for n, m in zip(shape, size[new:], strict=True))]
    for dim, m in enumerate(result):
        if m < 0:
            raise ShapeError(f"{op}(): The expanded size of the tensor ({m}) isn't allowed in dimension {dim}")
        if dim >= new and shape[dim - new] not in (1, m):
            raise ShapeError(
                f"{op}(): The expanded size of the tensor ({m}) must match the existing size "
                f"({shape[dim - new]}) at non-singleton dimension {dim}. "
                f"Target sizes: {list(result)}. Tensor sizes: {list(shape)}"
            )
    return self, tuple(result)


def as_strided(op: str, self: Any, size: Ints, stride: Ints, storage_offset: int | None) -> tuple[Any, ...]:
    """The layout must lie inside the storage; the offset is the tensor's own unless given."""
    offset = self.storage_offset() if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError(f"{op}(): mismatch in length of strides {list(stride)} and shape {list(size)}")
    if min((*size, *stride, offset), default=0) < 0:
        raise RuntimeError(
            f"{op}(): negative sizes, strides and offsets are not supported, got size {list(size)}, stride "
            f"{list(stride)}, storage_offset {offset}"
        )
    read_extent, available = offset + view_shapes.span(size, stride), len(self._storage)
    if prod(size) and read_extent > available:
        raise RuntimeError(
            f"{op}(): sizes {list(size)}, strides {list(stride)}, storage offset {offset} requiring a "
            f"storage of {read_extent} elements are out of bounds for storage of {available} elements"
        )
    return self, tuple(size), tuple(stride), offset


def diagonal(op: str, self: Any, offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """Wraps both dimensions, which must differ."""
    first, second = wrap_dim(op, dim1, self.ndim, False), wrap_dim(op, dim2, self.ndim, False)
    if first == second:
        raise RuntimeError(f"{op}(): diagonal dimensions cannot be identical {dim1}, {dim2}")
    return self, offset, first, second


def triangle(op: str, self: Any, diagonal: int) -> tuple[Any, ...]:
    """A matrix or a batch of them; diagonals outside are all alike."""
    if self.ndim < 2:
        raise RuntimeError(f"{op}(): input tensor must have at least 2 dimensions, got shape {list(self._shape)}")
    return self, max(-self._shape[-2], min(diagonal, self._shape[-1]))
