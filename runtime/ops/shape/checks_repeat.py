"""Argument checks of repeating, combining and moving, of matrices with a diagonal, and of the transposes of views."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...errors import ShapeError, UnsupportedDtypeError
from ...tensor import view_shapes
from . import checks_slice_join
from .checks import diagonal, distinct_dims
from .checks_slice_join import not_empty

Ints = Sequence[int]
MAX_COMBINED = 100_000_000  # more would only fill the memory


def repeat(op: str, self: Any, repeats: Ints) -> tuple[Any, ...]:
    """One count for each dimension, and for as many new ones before them as there are more counts."""
    if len(repeats) < self.ndim:
        raise ShapeError(
            f"{op}(): number of dimensions of repeat dims ({len(repeats)}) can not be smaller than number of "
            f"dimensions of tensor ({self.ndim}), got repeats {list(repeats)}"
        )
    require_counts(op, repeats)
    return self, repeats


def tile(op: str, self: Any, dims: Ints) -> tuple[Any, ...]:
    """Fewer counts than dimensions are those of the last ones."""
    require_counts(op, dims)
    return self, (*(1,) * (self.ndim - len(dims)), *dims)


def require_counts(op: str, counts: Ints) -> None:
    if min(counts, default=0) < 0:
        raise ShapeError(f"{op}(): trying to create tensor with negative dimension: got counts {list(counts)}")


def unflatten(op: str, self: Any, dim: int, sizes: Ints) -> tuple[Any, ...]:
    """Wraps `dim` and completes `sizes`, which must multiply to its size."""
    dim = wrap_dim(op, dim, self.ndim, False)
    size = self._shape[dim]
    if not sizes:
        raise RuntimeError(f"{op}(): sizes must be non-empty")
    known = prod(n for n in sizes if n != -1)
    if list(sizes).count(-1) > 1 or min(sizes) < -1:
        raise ShapeError(f"{op}(): expected sizes of which at most one is -1, got {list(sizes)}")
    if known != size and not (-1 in sizes and known and size % known == 0):
        raise ShapeError(f"{op}(): provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({size})")
    return self, dim, tuple(size // (known or 1) if n == -1 else n for n in sizes)


def movedim(op: str, self: Any, source: Ints, destination: Ints) -> tuple[Any, ...]:
    """Source and destination have equally many dimensions; each named once."""
    if len(source) != len(destination):
        raise RuntimeError(
            f"{op}(): Invalid source or destination dims: source ({list(source)} dims) should contain the same number "
            f"of dims as destination ({list(destination)} dims)"
        )
    return self, distinct_dims(op, source, self.ndim), distinct_dims(op, destination, self.ndim)


def diag(op: str, self: Any, diagonal: int) -> tuple[Any, ...]:
    """A vector or a matrix."""
    if self.ndim not in (1, 2):
        raise RuntimeError(f"{op}(): Supports 1D or 2D tensors. Got {self.ndim}D")
    return self, diagonal


def matrix(op: str, self: Any) -> tuple[Any, ...]:
    """A matrix."""
    if self.ndim != 2:
        raise RuntimeError(f"{op}(): expected a matrix, but got tensor with dim {self.ndim}")
    return (self,)


def fill_diagonal(op: str, self: Any, fill_value: Any, wrap: bool) -> tuple[Any, ...]:
    """Two dimensions, or more that are equally long."""
    if self.ndim < 2:
        raise ShapeError(f"{op}(): expected at least 2 dimensions, but got shape {list(self.shape)}")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise ShapeError(f"{op}(): all dimensions of input must be of equal length, but got {list(self.shape)}")
    return self, fill_value, wrap


def repeat_counts(op: str, repeats: Any, output_size: int | None) -> tuple[Any, ...]:
    """A vector of int64 or int32, whose kernel refuses negative counts."""
    if repeats.dtype.name not in ("int64", "int32"):
        raise UnsupportedDtypeError(f"{op}(): repeats has to be Long or Int tensor, got {repeats.dtype}")
    if repeats.ndim != 1:
        raise RuntimeError(f"{op}(): repeat_interleave only accepts a 1D vector as repeats, got {repeats.ndim}D")
    return repeats, output_size


def repeat_interleave_by(op: str, self: Any, repeats: Any, dim: int | None, output_size: int | None) -> tuple[Any, ...]:
    """Wraps `dim`; one count for each slice, or one for all."""
    wrapped = None if dim is None else wrap_dim(op, dim, self.ndim, False)
    size = self.numel() if wrapped is None else self._shape[wrapped]
    if repeats.ndim > 1:
        raise RuntimeError(f"{op}(): repeats must be 0-dim or 1-dim tensor, got {repeats.ndim}-dim")
    if repeats.numel() not in (1, size):
        raise RuntimeError(
            f"{op}(): repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.numel()} and {size} slices of input"
        )
    return self, repeats, wrapped, output_size


def repeat_interleave(op: str, self: Any, repeats: int, dim: int | None, output_size: int | None) -> tuple[Any, ...]:
    """Wraps `dim`; a count that is not negative."""
    wrapped = None if dim is None else wrap_dim(op, dim, self.ndim, False)
    if repeats < 0:
        raise RuntimeError(f"{op}(): Repeats must be non-negative, got {repeats}")
    expected = repeats * (self.numel() if wrapped is None else self._shape[wrapped])
    if output_size not in (None, expected):
        raise RuntimeError(f"{op}(): Invalid output_size, expected {expected} but got {output_size}")
    return self, repeats, wrapped, output_size


def meshgrid(op: str, tensors: Sequence[Any], indexing: str) -> tuple[Any, ...]:
    """Vectors or numbers of one dtype; indexing 'ij' or 'xy'."""
    not_empty(op, tensors)
    for tensor in tensors:
        if tensor.ndim > 1:
            raise RuntimeError(f"{op}(): Expected 0D or 1D tensor in the tensor list but got: {tensor.ndim}D")
        _require_alike(op, tensors[0], tensor)
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'{op}(): indexing must be one of "xy" or "ij", but received: {indexing}')
    return tensors, indexing


def _require_alike(op: str, first: Any, tensor: Any) -> None:
    if tensor.dtype is not first.dtype:
        raise RuntimeError(f"{op}() expects all tensors to have the same dtype, got {first.dtype} and {tensor.dtype}")


def vectors(op: str, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """Vectors of one dtype."""
    not_empty(op, tensors)
    for tensor in tensors:
        require_vector(op, tensor)
        _require_alike(op, tensors[0], tensor)
    return (tensors,)


def require_vector(op: str, tensor: Any) -> None:
    if tensor.ndim != 1:
        raise RuntimeError(f"{op}(): Expect a 1D vector, but got shape {list(tensor._shape)}")


def combinations(op: str, self: Any, r: int, with_replacement: bool) -> tuple[Any, ...]:
    """A vector, and no negative number of elements."""
    require_vector(op, self)
    if r < 0:
        raise RuntimeError(f"{op}(): Expect a non-negative number, but got {r}")
    size = self._shape[0]
    rows = comb(size + r - 1, r) if with_replacement and r else comb(size, r)
    if r * rows > MAX_COMBINED:
        raise RuntimeError(f"{op}(): more than {MAX_COMBINED} elements are wanted: rows of {r} out of {size}")
    return self, r, with_replacement


def blocks(op: str, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """Tensors of at most two dimensions."""
    not_empty(op, tensors)
    for position, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(
                f"{op}(): Input tensors must have 2 or fewer dimensions. Input {position} has {tensor.ndim} dimensions"
            )
    return (tensors,)


def diag_embed(op: str, self: Any, offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """Two different dimensions of the result."""
    first, second = (wrap_dim(op, dim, self.ndim + 1) for dim in (dim1, dim2))
    if first == second:
        raise RuntimeError(f"{op}(): diagonal dimensions cannot be identical {dim1}, {dim2}")
    return self, offset, first, second


def vander(op: str, x: Any, count: int | None, increasing: bool) -> tuple[Any, ...]:
    """A vector, and no negative number of powers."""
    if x.ndim != 1:
        raise RuntimeError(f"{op}(): x must be a one-dimensional tensor, got {x.ndim} dimensions")
    if count is not None and count < 0:
        raise RuntimeError(f"{op}(): N must be non-negative, got {count}")
    return x, count, increasing


def unravel_index(op: str, indices: Any, shape: Sequence[int]) -> tuple[Any, ...]:
    """Indices of integers; sizes that are not negative."""
    if indices.dtype.kind != "i":
        raise TypeError(f"{op}(): expected 'indices' to be integer dtype, but got {indices.dtype}")
    if min(shape, default=0) < 0:
        raise ValueError(f"{op}(): 'shape' cannot have negative values, but got {tuple(shape)}")
    return indices, tuple(shape)


@dataclass(frozen=True)
class Shaped:
    """Stands for a tensor in the check of a view, which reads its shape only."""

    _shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self._shape)


def _shaped(op: str, sizes: Ints) -> Shaped:
    if min(sizes, default=0) < 0:
        raise ShapeError(f"{op}(): expected sizes that are not negative, but got {list(sizes)}")
    return Shaped(tuple(sizes))


def _require_shape(op: str, grad: Any, expected: view_shapes.Layout) -> None:
    if tuple(grad._shape) != expected[0]:
        raise ShapeError(f"{op}(): expected a gradient of shape {list(expected[0])}, but got {list(grad._shape)}")


def select_backward(op: str, grad: Any, sizes: Ints, dim: int, index: int) -> tuple[Any, ...]:
    """Arguments of select on a tensor of `sizes`; the gradient has the shape of the slice."""
    full, dim, index = checks_slice_join.select(op, _shaped(op, sizes), dim, index)
    _require_shape(op, grad, view_shapes.select(full._shape, full._shape, 0, dim, index))
    return grad, full._shape, dim, index


def slice_backward(op: str, grad: Any, sizes: Ints, dim: int, start: int, end: int, step: int) -> tuple[Any, ...]:
    """Arguments of slice on a tensor of `sizes`; the gradient has the shape of the slice."""
    full, dim, start, end, step = checks_slice_join.slice(op, _shaped(op, sizes), dim, start, end, step)
    _require_shape(op, grad, view_shapes.slice(full._shape, full._shape, 0, dim, start, end, step))
    return grad, full._shape, dim, start, end, step


def diagonal_backward(op: str, grad: Any, sizes: Ints, offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """Arguments of diagonal on a tensor of `sizes`; the gradient has the shape of the diagonal."""
    full, offset, dim1, dim2 = diagonal(op, _shaped(op, sizes), offset, dim1, dim2)
    _require_shape(op, grad, view_shapes.diagonal(full._shape, full._shape, 0, offset, dim1, dim2))
    return grad, full._shape, offset, dim1, dim2


def restride(
    op: str, self: Any, stride: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int
) -> tuple[Any, ...]:
    """One stride for each size, and nothing negative."""
    for sizes, steps in ((self._shape, stride), (to_size, to_stride)):
        if len(sizes) != len(steps):
            raise ShapeError(f"{op}(): mismatch in length of strides {list(steps)} and shape {list(sizes)}")
    if min((*stride, offset, *to_size, *to_stride, to_offset)) < 0:
        raise ShapeError(f"{op}(): expected sizes, strides and offsets that are not negative")
    return self, tuple(stride), offset, tuple(to_size), tuple(to_stride), to_offset
