"""Slices along one dimension read and added at places. No place outside the array is ever touched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kernels.cpu import index_select as taking
from ...kernels.cpu import loops
from ...kernels.cpu.copies import contiguous, copied
from ...pool.parallel_for import shared

Array = np.ndarray
Ints = tuple[int, ...]

COLUMNS = 16  # of a table belong to one thread


def require_inside(
    op: str, places: Array, dim: int, size: int, error: type[Exception] = RuntimeError, least: int = 0
) -> None:
    """Every place must be in [least, size)."""
    if places.size and (places.min() < least or places.max() >= size):
        wrong = places[(places < least) | (places >= size)].flat[0]
        raise error(f"{op}(): index {wrong} is out of bounds for dimension {dim} with size {size}")


def with_rows_added(out: Array, rows: Array, values: Array, width: int) -> Array:
    """A copy of out, seen as rows of `width` elements, with values[i] added to row rows[i]."""
    table = copied(out).reshape(out.size // width if width else 0, width)
    if table.size:
        parts = contiguous(values).reshape(rows.size, width)
        shared(loops.add_rows, (table, rows.ravel(), parts), width, parts.size, COLUMNS)
    return table.reshape(out.shape)


def is_rows(dtype: np.dtype, ndim: int, indices: Sequence[Array | None]) -> bool:
    """Whether floats are indexed by one array of integers along their first dimension."""
    return len(indices) == 1 and ndim > 0 and dtype.kind == "f" and getattr(indices[0], "dtype", None) == np.int64


def rows_taken(op: str, a: Array, places: Any, least: int, error: type[Exception] = IndexError) -> Array:
    """a[places]; places below `least` are outside."""
    table = np.ascontiguousarray(a).reshape(a.shape[0], math.prod(a.shape[1:]))
    found = np.empty((*places.shape, *a.shape[1:]), a.dtype)
    line = np.ascontiguousarray(places).reshape(-1)
    rows, wrong = found.reshape(line.size, table.shape[1]), np.zeros(1, np.int64)
    shared(taking.take_rows, (table, line, least, rows, wrong), line.size, found.size)
    if wrong[0]:
        require_inside(op, places, 0, a.shape[0], error, least)
    return found


def rows_added(
    op: str, table: Array, places: Any, least: int, rows: Array, scale: Any = 1, error: type[Exception] = IndexError
) -> Array:
    """The contiguous `table` itself, with scale rows[i] added to table[places[i]]; places below `least` are outside."""
    flat = table.reshape(table.shape[0], math.prod(table.shape[1:]))
    line = np.ascontiguousarray(places).reshape(-1)
    parts = np.ascontiguousarray(rows).reshape(line.size, flat.shape[1])
    wrong = np.zeros(1, np.int64)
    shared(taking.add_to_rows, (flat, line, least, parts, float(scale), wrong), flat.shape[1], parts.size, COLUMNS)
    if wrong[0]:
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
    return _slices_added(copied(a), dim, places, source, alpha)


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
