"""Argument checks of ops that read and write by index: in the flattened tensor, along a dimension, or in a region."""

from math import prod
from typing import Any

import numpy as np

from ...dispatch.argument_checks import rejects, wrap_dim
from ...errors import ShapeError, UnsupportedDtypeError
from ...tensor import view_shapes
from ...tensor.view_shapes import Ints
from ..shape.checks import as_strided, diagonal
from ..shape.checks_slice_join import select, slice
from .checks import fitting_value, index_add, masked_select, scatter, scatter_value

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def _require_long(op: str, index: Any) -> None:
    if index.dtype.name != "int64":
        raise RuntimeError(f"{op}(): Expected a long tensor for index, but got {index.dtype}")


def _require_same_dtype(op: str, self: Any, source: Any) -> None:
    if self.dtype is not source.dtype:
        raise RuntimeError(f"{op}(): self and source expected to have the same dtype, got {self.dtype}, {source.dtype}")


@rejects("integers")
def integer_indices(op: str, index: Any, dim: int, size: int, name: str, wrap: bool) -> tuple[Any, ...]:
    """Indices of integers."""
    if index.dtype.kind != "i":
        raise IndexError(f"{op}(): expected indices of integers, got {index.dtype}")
    return index, dim, size, name, wrap


def take(op: str, self: Any, index: Any) -> tuple[Any, ...]:
    """Indices of int64; none into nothing."""
    _require_long(op, index)
    if index.numel() and not self.numel():
        raise IndexError(f"{op}(): tried to take from an empty tensor")
    return self, index


def put(op: str, self: Any, index: Any, source: Any, accumulate: bool) -> tuple[Any, ...]:
    """As many elements as indices, of the tensor's dtype."""
    _require_long(op, index)
    _require_same_dtype(op, self, source)
    if index.numel() != source.numel():
        raise IndexError(
            f"{op}(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    if index.numel() and not self.numel():
        raise IndexError(f"{op}(): tried to put elements into an empty tensor")
    return self, index, source, accumulate


def take_along_dim(op: str, self: Any, indices: Any, dim: int | None) -> tuple[Any, ...]:
    """Wraps `dim`; indices of int64 and as many dimensions."""
    if indices.dtype.name != "int64":
        raise RuntimeError(f"{op}(): dtype of indices should be Long but got {indices.dtype}")
    if dim is None:
        return self, indices, None
    if self.ndim != indices.ndim:
        raise RuntimeError(
            f"{op}(): input and indices should have the same number of dimensions, but got {self.ndim} dimensions for "
            f"input, and {indices.ndim} dimensions for indices"
        )
    return (self, indices, wrap_dim(op, dim, self.ndim)) if self.ndim else (self, indices, None)


def index_copy(op: str, self: Any, dim: int, index: Any, source: Any) -> tuple[Any, ...]:
    """Wraps `dim`; one slice of the source for each index, of the tensor's dtype."""
    dim = wrap_dim(op, dim, self.ndim)
    _require_long(op, index)
    _require_same_dtype(op, self, source)
    if index.ndim > 1:
        raise IndexError(f"{op}(): Index should have dimension 1 or 0 (got {index.ndim})")
    if self.ndim and source.ndim and self.ndim != source.ndim:
        raise IndexError(
            f"{op}(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({self.ndim})"
        )
    value = source._shape[min(dim, source.ndim - 1)] if source.ndim else 1
    if index.numel() != value or (not self.ndim and value != 1):
        raise IndexError(f"{op}(): Number of indices ({index.numel()}) should be equal to source.size(dim) ({value})")
    if self.ndim and (*self._shape[:dim], *self._shape[dim + 1 :]) != (*source._shape[:dim], *source._shape[dim + 1 :]):
        raise ShapeError(
            f"{op}(): Source/destination tensor must have same slice shapes, got {list(source._shape)} and "
            f"{list(self._shape)} for dim {dim}"
        )
    return self, dim, index, source


def index_fill(op: str, self: Any, dim: int, index: Any, value: Any) -> tuple[Any, ...]:
    """Wraps `dim`; a vector of int64 and one value."""
    if index.dtype.name != "int64":
        raise IndexError(f"{op}(): Expected dtype int64 for index, got {index.dtype}")
    if index.ndim > 1:
        raise RuntimeError(f"{op}(): Index has to be a vector/scalar, got {index.ndim} dimensions")
    if getattr(value, "ndim", 0):
        raise RuntimeError(f"{op}() only supports a 0-dimensional value tensor, but got {value.ndim} dimension(s)")
    return self, wrap_dim(op, dim, self.ndim), index, fitting_value(op, self, value)[1]


def scatter_reduce(
    op: str, self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool
) -> tuple[Any, ...]:
    """Arguments as of scatter; one of five reductions, for complex numbers of the first three."""
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"{op}(): reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if reduce in ("amax", "amin") and self.is_complex():
        raise UnsupportedDtypeError(
            f"{op}(): {reduce} is not implemented for complex numbers, which have no order: {self._dtype}"
        )
    _require_numbers_of_mean(op, self, reduce)
    return *scatter(op, self, dim, index, src), reduce, include_self


def _require_numbers_of_mean(op: str, self: Any, reduce: str) -> None:
    if reduce == "mean" and self.dtype.name == "bool":
        raise UnsupportedDtypeError(f"{op}(): reduce='mean' expected self of numbers, got {self.dtype}")


def scatter_by(op: str, self: Any, dim: int, index: Any, src: Any, reduce: str) -> tuple[Any, ...]:
    """Arguments as of scatter; reduce is 'add' or 'multiply'."""
    _require_operation(op, reduce)
    _require_same_dtype(op, self, src)
    return *scatter(op, self, dim, index, src), reduce


def scatter_value_by(op: str, self: Any, dim: int, index: Any, value: Any, reduce: str) -> tuple[Any, ...]:
    """Arguments as of scatter; reduce is 'add' or 'multiply'."""
    _require_operation(op, reduce)
    return *scatter_value(op, self, dim, index, value), reduce


def _require_operation(op: str, reduce: str) -> None:
    if reduce not in ("add", "multiply"):
        raise RuntimeError(f"{op}(): reduce argument must be either add or multiply, got {reduce}")


def index_reduce(
    op: str, self: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool
) -> tuple[Any, ...]:
    """Wraps `dim`; one slice of the source for each index; one of four reductions."""
    if reduce not in REDUCTIONS[1:]:
        raise RuntimeError(f"{op}(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}")
    _require_numbers_of_mean(op, self, reduce)
    _require_same_dtype(op, self, source)
    _, dim, index, source, _ = index_add(op, self, dim, index, source, 1)
    return self, dim, index, source, reduce, include_self


def masked_scatter(op: str, self: Any, mask: Any, source: Any) -> tuple[Any, ...]:
    """A mask of bools that broadcasts with the tensor, and elements of its dtype."""
    _require_same_dtype(op, self, source)
    x, where = masked_select(op, self, mask)
    return x, mask if x is self else where, source


def _require_region(op: str, src: Any, shape: Ints) -> None:
    if tuple(src._shape) != tuple(shape):
        raise RuntimeError(
            f"{op}(): expected src to have a size equal to the slice of self. src size = {list(src._shape)}, slice "
            f"size = {list(shape)}"
        )


def select_scatter(op: str, self: Any, src: Any, dim: int, index: int) -> tuple[Any, ...]:
    """Wraps `dim` and `index`; the source has the shape of the slice."""
    _, dim, index = select(op, self, dim, index)
    _require_region(op, src, (*self._shape[:dim], *self._shape[dim + 1 :]))
    return self, src, dim, index


def slice_scatter(
    op: str, self: Any, src: Any, dim: int, start: int | None, end: int | None, step: int
) -> tuple[Any, ...]:
    """Wraps `dim`; the source has the shape of the slice."""
    if step <= 0:
        raise RuntimeError(f"{op}(): slice step must be positive, got {step}")
    _, dim, first, last, step = slice(op, self, dim, start, end, step)
    _require_region(op, src, (*self._shape[:dim], len(range(first, last, step)), *self._shape[dim + 1 :]))
    return self, src, dim, first, last, step


def diagonal_scatter(op: str, self: Any, src: Any, offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """Wraps both dimensions; the source has the shape of the diagonal."""
    _, offset, first, second = diagonal(op, self, offset, dim1, dim2)
    rest = [n for dim, n in enumerate(self._shape) if dim not in (first, second)]
    down, right = max(0, -offset), max(0, offset)
    length = max(0, min(self._shape[first] - down, self._shape[second] - right))
    _require_region(op, src, (*rest, length))
    return self, src, offset, first, second


def as_strided_scatter(
    op: str, self: Any, src: Any, size: Ints, stride: Ints, storage_offset: int | None
) -> tuple[Any, ...]:
    """A layout inside the storage, whose elements do not overlap; the source has its shape."""
    _, size, stride, offset = as_strided(op, self, size, stride, storage_offset)
    _require_region(op, src, size)
    if view_shapes.may_overlap(size, stride) and _elements_overlap(size, stride):
        raise RuntimeError(
            f"{op}(): unsupported operation: more than one element of the written-to tensor refers to a single memory "
            f"location: expected size and stride of elements apart from each other, got size {list(size)} and stride "
            f"{list(stride)}"
        )
    return self, src, size, stride, offset


def _elements_overlap(size: Ints, stride: Ints) -> bool:
    """Whether two elements of a layout share an offset: surely where there are more elements than offsets."""
    if prod(size) > view_shapes.span(size, stride):
        return True
    offsets = np.zeros(1, np.int64)
    for count, step in zip(size, stride, strict=True):
        offsets = (offsets[:, None] + step * np.arange(count)).reshape(-1)
    return len(np.unique(offsets)) < len(offsets)
