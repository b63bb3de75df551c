"""References of reading and writing at places."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.shape.references import as_strided, sliced

UFUNCS: dict[str, Any] = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def put(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """NumPy's, or one addition after the other."""
    result = self.copy().reshape(-1)
    for position, value in zip(index.ravel(), source.ravel(), strict=True):
        result[position] = result[position] + value if accumulate else value
    return result.reshape(self.shape)


def take_along_dim(self: Any, indices: Any, dim: int | None = None) -> Any:
    """NumPy's, with places that count round and round."""
    axis = None if dim is None else dim
    return np.take_along_axis(self, indices % (self.size if dim is None else self.shape[dim]), axis)


def at(dim: int, index: Any, ndim: int) -> Any:
    """The NumPy key of slices along a dimension."""
    return (*(slice(None),) * (dim % ndim), index)


def index_copy(self: Any, dim: int, index: Any, source: Any) -> Any:
    """x with slices replaced."""
    result = np.atleast_1d(self.copy())
    result[at(dim, np.atleast_1d(index), result.ndim)] = source
    return result.reshape(self.shape)


def scatter_reduce(self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    """Each result from the list of what goes there."""
    lists: dict[Any, list[Any]] = {}
    result, index, src = np.atleast_1d(self.copy()), np.atleast_1d(index), np.atleast_1d(src)
    for position in np.ndindex(index.shape):
        target = list(position)
        target[dim] = index[position]
        lists.setdefault(tuple(target), []).append(src[position])
    for target, values in lists.items():
        values += [result[target]] if include_self else []
        total = UFUNCS[reduce].reduce(values)
        result[target] = total // len(values) if self.dtype.kind in "ib" and reduce == "mean" else total
        if reduce == "mean" and self.dtype.kind in "fc":
            result[target] = total / len(values)
    return result.reshape(self.shape)


def index_reduce(self: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool = True) -> Any:
    """The same places for all elements of a slice."""
    rows = np.atleast_1d(source)
    positions = np.broadcast_to(index.reshape(along(dim, rows.ndim)), rows.shape)
    return scatter_reduce(np.atleast_1d(self), dim, positions, rows, reduce, include_self).reshape(self.shape)


def along(dim: int, ndim: int) -> Any:
    """The shape of a vector that counts along one of several dimensions."""
    shape = [1] * ndim
    shape[dim] = -1
    return shape


def scatter_with(self: Any, dim: int, index: Any, reduce: str, src: Any = None, value: Any = None) -> Any:
    """Sums or products."""
    src = np.full(index.shape, value, self.dtype) if src is None else src
    return scatter_reduce(self, dim, index, src, "sum" if reduce == "add" else "prod")


def masked_scatter(self: Any, mask: Any, source: Any) -> Any:
    """The elements of the source in the places of a mask."""
    self, mask = np.broadcast_arrays(self, mask)
    result = self.copy()
    result[mask] = source.ravel()[: mask.sum()]
    return result


def written(self: Any, src: Any, region: Callable[[Any], Any]) -> Any:
    """x with a region, of which NumPy has a view, replaced."""
    result = self.copy()
    positions = region(np.arange(self.size).reshape(self.shape))
    result.reshape(-1)[positions] = src
    return result


READING_AND_WRITING: dict[str, Callable[..., Any]] = {
    "checked_indices": lambda index, dim, size, op, wrap: index % size,
    "take": lambda self, index: np.take(self, index),
    "put": put,
    "unravel_index": lambda indices, shape: tuple(np.unravel_index(indices, shape)),
    "take_along_dim": take_along_dim,
    "index_copy": index_copy,
    "index_fill": lambda self, dim, index, value: index_copy(self, dim, index, value),
    "scatter_reduce.two": scatter_reduce,
    "scatter.src_reduce": scatter_with,
    "scatter.value_reduce": scatter_with,
    "index_reduce": index_reduce,
    "order_of_true": lambda mask, available, lead: np.where(
        mask, (mask.cumsum(1) if lead else mask.cumsum().reshape(mask.shape)) - 1, 0
    ),
    "masked_scatter": masked_scatter,
    "select_scatter": lambda self, src, dim, index: written(self, src, lambda x: np.take(x, index, dim)),
    "slice_scatter": lambda self, src, dim=0, start=None, end=None, step=1: written(
        self, src, lambda x: sliced(x, dim, start, end, step)
    ),
    "diagonal_scatter": lambda self, src, offset=0, dim1=0, dim2=1: written(
        self, src, lambda x: np.diagonal(x, offset, dim1, dim2)
    ),
    "as_strided_scatter": lambda self, src, size, stride, storage_offset=0: written(
        self, src, lambda x: as_strided(x, size, stride, storage_offset)
    ),
}
