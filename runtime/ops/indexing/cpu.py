"""NumPy's indexing with arrays and masks: reading, writing and adding. No place outside the array is ever touched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .cpu_index_add import is_rows, require_inside, rows_added, rows_taken, with_rows_added

Array = np.ndarray
Ints = tuple[int, ...]


def _without_masks(indices: Sequence[Array | None]) -> list[Array | None]:
    """Each mask replaced by the places where it is true, one array for each of its dimensions."""
    result: list[Array | None] = []
    for item in indices:
        if item is not None and item.dtype.kind == "b":
            result.extend(np.atleast_1d(item).nonzero()[: item.ndim])
        else:
            result.append(item)
    return result


def _places(op: str, shape: Ints, indices: Sequence[Array | None]) -> tuple[Any, ...]:
    """An index for NumPy in which every place counts from the front."""
    result: list[Any] = []
    for dim, item in enumerate(_without_masks(indices)):
        if item is None:
            result.append(slice(None))
        else:
            item = item.astype(np.int64, copy=False)
            require_inside(op, item, dim, shape[dim], IndexError, least=-shape[dim])
            result.append(np.where(item < 0, item + shape[dim], item))
    arrays = [item for item in result if isinstance(item, np.ndarray)]
    try:
        np.broadcast_shapes(*(item.shape for item in arrays))
    except ValueError:
        shapes = ", ".join(str(list(item.shape)) for item in arrays)
        raise IndexError(
            f"{op}(): shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    return tuple(result)


def index(a: Array, indices: Sequence[Array | None]) -> Array:
    """a[indices]."""
    if is_rows(a.dtype, a.ndim, indices):
        return rows_taken("index", a, indices[0], -a.shape[0])
    result = np.asarray(a[_places("index", a.shape, indices)])
    return result.copy() if np.may_share_memory(result, a) else result


def index_backward(grad: Array, sizes: Ints, indices: Sequence[Array | None]) -> Array:
    """Zeros to which `grad` is added at `indices`."""
    if is_rows(grad.dtype, len(sizes), indices):
        places: Any = indices[0]
        rows = grad if grad.shape == (*places.shape, *sizes[1:]) else _as_taken("index_backward", sizes, indices, grad)
        return rows_added("index_backward", np.zeros(sizes, grad.dtype), places, -sizes[0], rows)
    places = _places("index_backward", sizes, indices)
    return _added(np.zeros(sizes, grad.dtype), places, _as_taken("index_backward", sizes, places, grad))


def _as_taken(op: str, sizes: Ints, places: Sequence[Any], values: Array) -> Array:
    """The values broadcast to the shape of what stands at the places."""
    shape = np.broadcast_to(np.False_, sizes)[tuple(places)].shape
    try:
        return values if values.shape == shape else np.broadcast_to(values, shape)
    except ValueError:
        raise RuntimeError(
            f"{op}(): shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        ) from None


def index_put(a: Array, indices: Sequence[Array | None], values: Array, accumulate: bool) -> Array:
    """A copy of a with `values` written, or added, at `indices`."""
    places = _places("index_put", a.shape, indices)
    values = _as_taken("index_put", a.shape, places, values)
    result = a.copy()
    if accumulate:
        return _added(result, places, values)
    result[places] = values
    return result


def _added(out: Array, places: tuple[Any, ...], values: Array) -> Array:
    """out with values added at places, of which several may be the same."""
    indexed = [d for d, item in enumerate(places) if isinstance(item, np.ndarray)]
    rest = [d for d in range(out.ndim) if d not in indexed]
    if not indexed or not values.size:
        return out + values if values.size else out
    common = np.broadcast_arrays(*(places[d] for d in indexed))
    rows = np.asarray(np.ravel_multi_index(common, [out.shape[d] for d in indexed]))
    if indexed == list(range(indexed[0], indexed[-1] + 1)):  # else NumPy puts the indexed dimensions in front
        values = np.moveaxis(values, range(indexed[0], indexed[0] + rows.ndim), range(rows.ndim))
    moved = out.transpose(indexed + rest)
    width = math.prod(out.shape[d] for d in rest)
    return with_rows_added(moved, rows, values, width).transpose(np.argsort(indexed + rest))


def nonzero(a: Array) -> Array:
    """The places of the elements that are not zero, one row each."""
    return np.argwhere(a)
