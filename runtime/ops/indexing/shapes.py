"""Shape rules of indexing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dispatch.shape_rules import by_values
from ...shapes import Shape, broadcast_shapes
from ...tensor.meta import MetaArray

INT64 = np.dtype(np.int64)


def indexed(self: Any, indices: Sequence[Any]) -> Shape:
    """The broadcast shape of the indices, where the first of their dimensions is if these are neighbours, or first."""
    if any(index is not None and index.dtype == np.bool_ for index in indices):
        by_values()
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    if not dims:
        return tuple(self.shape)
    index_shape = broadcast_shapes("index", *[indices[dim].shape for dim in dims])
    left = [size for dim, size in enumerate(self.shape) if dim not in dims]
    first = dims[0] if dims[-1] - dims[0] + 1 == len(dims) else 0
    return (*left[:first], *index_shape, *left[first:])


def selected(self: Any, dim: int, index: Any) -> Shape:
    return self.shape and (*self.shape[:dim], index.size, *self.shape[dim + 1 :])


def indices_like(index: Any, *rest: Any) -> MetaArray:
    return MetaArray(index.shape, INT64)
