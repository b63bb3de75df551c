"""Reading by arrays of indices and masks, x[rows], x[:, rows], x[rows, columns], x[rows, :, columns], x[mask].

The dimensions that are indexed and those around them are folded, whatever their strides are: so one loop reads all.
Elements are moved as words of their size. No memory outside the arrays is ever touched.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...device.threads.parallel_for import shared
from ...kernels.cpu import loops
from ...kernels.cpu.contiguous_copy import contiguous, copied
from ...kernels.cpu.index_select import COLUMNS, add_to_rows
from ...kernels.cpu.plan import Array, Ints
from .cpu_gather_loops import LINE, take
from .cpu_mask import as_uints, chosen_by_mask, full_mask, put_by_mask, without_masks


def require_inside(
    op: str, positions: Array, dim: int, size: int, error: type[Exception] = RuntimeError, lower_bound: int = 0
) -> None:
    if positions.size and (positions.min() < lower_bound or positions.max() >= size):
        wrong = positions[(positions < lower_bound) | (positions >= size)].flat[0]
        raise error(f"{op}(): index {wrong} is out of bounds for dimension {dim} with size {size}")


def with_rows_added(out: Array, rows: Array, values: Array, width: int) -> Array:
    table = copied(out).reshape(out.size // width if width else 0, width)
    if table.size:
        parts = contiguous(values).reshape(rows.size, width)
        shared(loops.add_rows, (table, rows.ravel(), parts), width, parts.size, COLUMNS)
    return table.reshape(out.shape)


def is_rows(dtype: np.dtype, ndim: int, indices: Sequence[Array | None]) -> bool:
    return len(indices) == 1 and ndim > 0 and dtype.kind == "f" and getattr(indices[0], "dtype", None) == np.int64


def rows_added(
    op: str,
    table: Array,
    positions: Any,
    lower_bound: int,
    rows: Array,
    scale: Any = 1,
    error: type[Exception] = IndexError,
) -> Array:
    flat = table.reshape(table.shape[0], math.prod(table.shape[1:]))
    line = np.ascontiguousarray(positions).reshape(-1)
    parts = np.ascontiguousarray(rows).reshape(line.size, flat.shape[1])
    wrong = np.zeros(1, np.int64)
    shared(add_to_rows, (flat, line, lower_bound, parts, float(scale), wrong), flat.shape[1], parts.size, COLUMNS)
    if wrong[0]:
        require_inside(op, positions, 0, table.shape[0], error, lower_bound)
    return table


def index_select_backward(grad: Array, sizes: Ints, dim: int, positions: Array) -> Array:
    return _slices_added(np.zeros(sizes, grad.dtype), dim, positions, grad, 1)


def _slices_added(out: Array, dim: int, positions: Array, source: Array, alpha: Any) -> Array:
    """Adds to a contiguous array that nobody else holds; or to a copy where `dim` is not its first dimension."""
    if dim == 0 and is_rows(out.dtype, out.ndim, (positions,)):
        return rows_added("index_add", out, positions, 0, source, alpha, RuntimeError)
    require_inside("index_add", positions, dim, out.shape[dim] if out.ndim else 1)
    scaled = source if alpha == 1 else source * out.dtype.type(alpha)
    if not out.ndim:
        return out + scaled
    moved = np.moveaxis(out, dim, 0)
    width = math.prod(moved.shape[1:])
    return np.moveaxis(with_rows_added(moved, positions, np.moveaxis(scaled, dim, 0), width), 0, dim)


def _positions(op: str, shape: Ints, indices: Sequence[Array | None]) -> tuple[Any, ...]:
    """The indices as NumPy takes them, without masks and without negative numbers."""
    result: list[Any] = []
    for dim, item in enumerate(without_masks(indices)):
        if item is None:
            result.append(slice(None))
        else:
            item = item.astype(np.int64, copy=False)
            require_inside(op, item, dim, shape[dim], IndexError, lower_bound=-shape[dim])
            result.append(np.where(item < 0, item + shape[dim], item))
    broadcast_shape_of(op, [item for item in result if isinstance(item, np.ndarray)])
    return tuple(result)


def index_backward(grad: Array, sizes: Ints, indices: Sequence[Array | None]) -> Array:
    mask = full_mask(sizes, indices)
    placed = None if mask is None else put_by_mask(grad, mask)
    if placed is not None:
        return placed
    if is_rows(grad.dtype, len(sizes), indices):
        index: Any = indices[0]
        full = grad.shape == (*index.shape, *sizes[1:])
        rows = grad if full else _as_gathered("index_backward", sizes, indices, grad)
        return rows_added("index_backward", np.zeros(sizes, grad.dtype), index, -sizes[0], rows)
    positions = _positions("index_backward", sizes, indices)
    return _added(np.zeros(sizes, grad.dtype), positions, _as_gathered("index_backward", sizes, positions, grad))


def _as_gathered(op: str, sizes: Ints, positions: Sequence[Any], values: Array) -> Array:
    return as_indexed(op, values, np.broadcast_to(np.False_, sizes)[tuple(positions)].shape)


def as_indexed(op: str, values: Array, shape: Ints) -> Array:
    try:
        return values if values.shape == shape else np.broadcast_to(values, shape)
    except ValueError:
        raise RuntimeError(
            f"{op}(): shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        ) from None


def _added(out: Array, positions: tuple[Any, ...], values: Array) -> Array:
    indexed = [d for d, item in enumerate(positions) if isinstance(item, np.ndarray)]
    rest = [d for d in range(out.ndim) if d not in indexed]
    if not indexed or not values.size:
        return out + values if values.size else out
    common = np.broadcast_arrays(*(positions[d] for d in indexed))
    rows = np.asarray(np.ravel_multi_index(common, [out.shape[d] for d in indexed]))
    if indexed == list(range(indexed[0], indexed[-1] + 1)):  # else NumPy puts the indexed dimensions in front
        values = np.moveaxis(values, range(indexed[0], indexed[0] + rows.ndim), range(rows.ndim))
    moved = out.transpose(indexed + rest)
    width = math.prod(out.shape[d] for d in rest)
    return with_rows_added(moved, rows, values, width).transpose(np.argsort(indexed + rest))


Indices = Sequence[Array | None]


def index(a: Array, indices: Indices) -> Array:
    mask = full_mask(a.shape, indices)
    if mask is not None:
        return chosen_by_mask(a, mask)
    result = without_masks(indices)
    dims = [dim for dim, item in enumerate(result) if item is not None]
    arrays = [item.astype(np.int64, copy=False) for item in result if item is not None]
    return gathered("index", a, dims, arrays, [-a.shape[dim] for dim in dims]) if arrays else a.copy()


def index_select(a: Array, dim: int, positions: Array) -> Array:
    line = positions.reshape(-1).astype(np.int64, copy=False)
    if not a.ndim:
        require_inside("index_select", positions, 0, 1, IndexError)
        return a.copy()
    return gathered("index_select", a, [dim], [line], [0])


def take_elements(a: Array, positions: Array) -> Array:
    return gathered("take", a.reshape(-1), [0], [positions], [-a.size])


def gathered(op: str, a: Array, dims: Sequence[int], arrays: Sequence[Array], lower_bound: Sequence[int]) -> Array:
    """What arrays of int64, which broadcast, choose along dimensions of a; each has a least index."""
    common = broadcast_shape_of(op, arrays)
    front = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0  # in front of all, where others lie between them
    rest = [dim for dim in range(a.ndim) if dim not in dims]
    with_layout = foldable(a.transpose([*rest[:front], *dims, *rest[front:]]), front, len(dims))
    chosen = range(front, front + len(dims))
    out = np.empty((*with_layout.shape[:front], *common, *with_layout.shape[front + len(dims) :]), a.dtype)
    lines, broadcast_item = np.empty((len(dims), LINE), np.int64), [expanded_view(array, common) for array in arrays]
    for line, array, dim, lowest in zip(lines, broadcast_item, chosen, lower_bound, strict=True):
        line[:] = array.ctypes.data, -lowest, with_layout.shape[dim], with_layout.strides[dim] // a.itemsize
    if out.size:
        count, width, outside = math.prod(common), math.prod(with_layout.shape[chosen.stop :]), np.zeros(1, np.int64)
        outer, inner = (fold_step(with_layout, dims) or 0 for dims in (range(front), range(chosen.stop, a.ndim)))
        arguments = memory_of(with_layout), lines.reshape(-1), count, outer, width, inner, as_uints(out), outside
        shared(take, arguments, out.size // width, out.size)
    if not out.size or outside[0]:
        for array, dim, lowest in zip(arrays, dims, lower_bound, strict=True):
            require_inside(op, array, dim, a.shape[dim], IndexError, lowest)
    return out


def expanded_view(array: Array, shape: Ints) -> Array:
    return np.ascontiguousarray(array if array.shape == shape else np.broadcast_to(array, shape))


def broadcast_shape_of(op: str, arrays: Sequence[Any]) -> Ints:
    if len(arrays) == 1:
        return arrays[0].shape
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(list(array.shape)) for array in arrays)
        raise IndexError(
            f"{op}(): shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None


def foldable(a: Array, front: int, count: int) -> Array:
    around = range(front), range(front + count, a.ndim)
    return a if a.flags.c_contiguous or None not in [fold_step(a, dims) for dims in around] else contiguous(a)


def fold_step(a: Any, dims: Iterable[int]) -> int | None:
    """How many elements lie between neighbours of dimensions folded into one; None where they have no one step."""
    long = [dim for dim in dims if a.shape[dim] != 1]
    for dim, following in pairwise(long):
        if a.strides[dim] != a.strides[following] * a.shape[following]:
            return None
    return a.strides[long[-1]] // a.itemsize if long else 0


def memory_of(a: Array) -> Array:
    if a.flags.c_contiguous:
        return as_uints(a)
    read_extent = 1 + sum((size - 1) * step for size, step in zip(a.shape, a.strides, strict=True)) // a.itemsize
    flat = np.lib.stride_tricks.as_strided(a, (read_extent,), (a.itemsize,))
    return as_uints(flat)
