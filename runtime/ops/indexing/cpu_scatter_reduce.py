"""Elements reduced into places along a dimension, and the places themselves. None outside the array is ever touched."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import DimensionError, ShapeError
from .cpu_index_add import require_inside

Array = np.ndarray
Ints = tuple[int, ...]

UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def scatter_reduce(a: Array, dim: int, places: Array, src: Array, reduce: str, include_self: bool) -> Array:
    """A copy of a with src_ij reduced into y[places_ij, j] for dim 0, and so on."""
    result = np.array(a, order="C").reshape(a.shape or 1)
    if not places.size:
        return result.reshape(a.shape)
    at = places.reshape(places.shape or 1)
    require_inside("scatter_reduce", at, dim, result.shape[dim])
    flat, line = result.reshape(-1), _flat_places(at, dim, result.shape)
    if not include_self:
        flat[line] = _neutral(reduce, result.dtype)
    values = src.reshape(src.shape or 1)[tuple(slice(n) for n in at.shape)]
    UFUNCS[reduce].at(flat, line, values.ravel())
    if reduce == "mean":
        counts = np.bincount(line, minlength=flat.size)
        counts = np.maximum(counts + include_self * (counts > 0), 1)
        flat[...] = flat / counts if flat.dtype.kind in "fc" else flat // counts
    return result.reshape(a.shape)


def _flat_places(at: Array, dim: int, shape: Ints) -> Array:
    """The places along `dim`, counted in the flattened array."""
    key: list[Any] = list(np.indices(at.shape, sparse=True))
    key[dim] = at
    return np.ravel_multi_index(np.broadcast_arrays(*key), shape).ravel()


def _neutral(reduce: str, dtype: np.dtype) -> Any:
    """What changes nothing when it is reduced with a number."""
    if reduce in ("sum", "mean", "prod"):
        return reduce == "prod"
    least = reduce == "amax"
    if dtype.kind == "f":
        return -np.inf if least else np.inf
    if dtype.kind == "b":
        return not least
    return np.iinfo(dtype).min if least else np.iinfo(dtype).max


def checked_places(index: Array, dim: int, size: int, op: str, wrap: bool) -> Array:
    """The indices counted from the front."""
    require_inside(op, index, dim, size, DimensionError, least=-size if wrap else 0)
    return np.where(index < 0, index + size, index).astype(np.int64)


def order_of_true(mask: Array, available: int, lead: int) -> Array:
    """For each true element how many come before it in its example, 0 for the others."""
    lines = mask.reshape(math.prod(mask.shape[:lead]), math.prod(mask.shape[lead:]))
    order = lines.cumsum(1)
    total = order[:, -1:].max(initial=0)
    if total > available:
        raise ShapeError(
            f"masked_scatter(): Number of elements of source < number of ones in mask: {available} < {total}"
        )
    return np.where(lines, order - 1, 0).reshape(mask.shape)
