"""Indexing with arrays: reading, writing and adding at places. No place outside the array is ever touched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import loops, taking

Array = np.ndarray
Ints = tuple[int, ...]


def require_inside(
    op: str, places: Array, dim: int, size: int, error: type[Exception] = RuntimeError, least: int = 0
) -> None:
    """Every place must be in [least, size)."""
    if places.size and (places.min() < least or places.max() >= size):
        wrong = places[(places < least) | (places >= size)].flat[0]
        raise error(f"{op}(): index {wrong} is out of bounds for dimension {dim} with size {size}")


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


def with_rows_added(out: Array, rows: Array, values: Array, width: int) -> Array:
    """A copy of out, seen as rows of `width` elements, with values[i] added to row rows[i]."""
    table = np.array(out, order="C").reshape(out.size // width if width else 0, width)
    if table.size:
        loops.add_rows(table, rows.ravel(), np.ascontiguousarray(values).reshape(rows.size, width))
    return table.reshape(out.shape)


def is_rows(dtype: np.dtype, ndim: int, indices: Sequence[Array | None]) -> bool:
    """Whether floats are indexed by one array of integers along their first dimension."""
    return len(indices) == 1 and ndim > 0 and dtype.kind == "f" and getattr(indices[0], "dtype", None) == np.int64


def rows_taken(op: str, a: Array, places: Any, least: int, error: type[Exception] = IndexError) -> Array:
    """a[places]; places below `least` are outside."""
    table = np.ascontiguousarray(a).reshape(a.shape[0], math.prod(a.shape[1:]))
    found = np.empty((*places.shape, *a.shape[1:]), a.dtype)
    line = np.ascontiguousarray(places).reshape(-1)
    if taking.take_rows(table, line, least, found.reshape(line.size, table.shape[1])) >= 0:
        require_inside(op, places, 0, a.shape[0], error, least)
    return found


def rows_added(
    op: str, table: Array, places: Any, least: int, rows: Array, scale: Any = 1, error: type[Exception] = IndexError
) -> Array:
    """The contiguous `table` itself, with scale rows[i] added to table[places[i]]; places below `least` are outside."""
    flat = table.reshape(table.shape[0], math.prod(table.shape[1:]))
    line = np.ascontiguousarray(places).reshape(-1)
    parts = np.ascontiguousarray(rows).reshape(line.size, flat.shape[1])
    if taking.add_to_rows(flat, line, least, parts, float(scale)) >= 0:
        require_inside(op, places, 0, table.shape[0], error, least)
    return table


def index_select(a: Array, dim: int, places: Array) -> Array:
    """The slices of a at `places` along `dim`."""
    if dim == 0 and is_rows(a.dtype, a.ndim, (places,)):
        return rows_taken("index_select", a, places.reshape(-1), 0)
    require_inside("index_select", places, dim, a.shape[dim] if a.ndim else 1, IndexError)
    if not a.ndim:
        return a.copy()
    return a.take(places.reshape(-1), axis=dim)


def index_select_backward(grad: Array, sizes: Ints, dim: int, places: Array) -> Array:
    """Zeros to which the slices of `grad` are added at `places` along `dim`."""
    return _slices_added(np.zeros(sizes, grad.dtype), dim, places, grad, 1)


def index_add(a: Array, dim: int, places: Array, source: Array, alpha: int | float | complex) -> Array:
    """A copy of a with alpha source added slice by slice at `places` along `dim`."""
    return _slices_added(np.array(a, order="C"), dim, places, source, alpha)


def _slices_added(out: Array, dim: int, places: Array, source: Array, alpha: Any) -> Array:
    """Adds to a contiguous array that nobody else holds; or to a copy where `dim` is not its first dimension."""
    if dim == 0 and is_rows(out.dtype, out.ndim, (places,)):
        return rows_added("index_add", out, places, 0, source, alpha, RuntimeError)
    require_inside("index_add", places, dim, out.shape[dim] if out.ndim else 1)
    scaled = source if alpha == 1 else source * out.dtype.type(alpha)
    if not out.ndim:
        return out + scaled
    moved = np.moveaxis(out, dim, 0)
    width = math.prod(moved.shape[1:])
    return np.moveaxis(with_rows_added(moved, places, np.moveaxis(scaled, dim, 0), width), 0, dim)


def _folded(a: Array, dim: int) -> Array:
    """A contiguous array as (before, dim, after); a 0-d array counts as having one dimension."""
    shape = a.shape or (1,)
    folded = (math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :]))
    return np.ascontiguousarray(a).reshape(folded)


def _region(places: Array, dim: int) -> tuple[slice, ...]:
    """The part of an array that `places` along `dim` can reach: elsewhere as far as the places go."""
    return tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(places.shape))


def gather(a: Array, dim: int, places: Array, sparse_grad: bool) -> Array:
    """y_ij = a[places_ij, j] for dim 0, and so on."""
    part = a[_region(places, dim)] if places.ndim == a.ndim else a
    out = np.empty(places.shape, a.dtype)
    if not loops.gather_along(_folded(part, dim), _folded(places, dim), _folded(out, dim)):
        require_inside("gather", places, dim, (a.shape or (1,))[dim])
    return out


def scatter(a: Array, dim: int, places: Array, src: Any) -> Array:
    """A copy of a with y[places_ij, j] = src_ij for dim 0, and so on; src may be one number."""
    return _scattered("scatter", a, dim, places, src, False)


def scatter_add(a: Array, dim: int, places: Array, src: Array) -> Array:
    """A copy of a with src_ij added to y[places_ij, j] for dim 0, and so on."""
    return _scattered("scatter_add", a, dim, places, src, True)


def _scattered(op: str, a: Array, dim: int, places: Array, src: Any, add: bool) -> Array:
    """The region that the places reach is written, or added to, and put back where it was cut out."""
    result = a.copy()
    if not places.size:
        return result
    at, whole = places.reshape(places.shape or 1), result.reshape(a.shape or 1)
    part = whole[_region(at, dim)]
    values = src.reshape(src.shape or 1)[tuple(slice(n) for n in at.shape)] if np.ndim(src) else src
    table = _folded(part, dim)
    if not loops.scatter_along(
        table, _folded(at, dim), _folded(np.broadcast_to(np.asarray(values, a.dtype), at.shape), dim), add
    ):
        require_inside(op, at, dim, whole.shape[dim])
    if not np.may_share_memory(table, result):
        part[...] = table.reshape(part.shape)
    return result


def nonzero(a: Array) -> Array:
    """The places of the elements that are not zero, one row each."""
    return np.argwhere(a)
