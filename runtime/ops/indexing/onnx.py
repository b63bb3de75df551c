"""Reading and writing by index in ONNX operators."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np


def indexed(onnx: Any, x: Any, indices: Sequence[Any]) -> Any:
    """x[indices], None for a whole dimension."""
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    if any(indices[dim].dtype in ("bool", "uint8") for dim in dims):
        raise NotImplementedError("the shape of x[mask] depends on the mask's values")
    if len(dims) == 1:
        return onnx.Gather(x, indices[dims[0]], axis=dims[0])
    positions, shape = _indices(onnx, indices, dims)
    first = onnx.GatherND(_in_front(onnx, x, dims), positions)
    order = _order_of_result(x.ndim, dims, len(shape))
    return first if order == sorted(order) else onnx.Transpose(first, perm=order)


def gathered(onnx: Any, x: Any, dim: int, index: Any) -> Any:
    """Elements by their index along a dimension; the others count as far as the index reaches."""
    dims = [d for d in range(x.ndim) if d != dim % x.ndim and x.shape[d] != index.shape[d]]
    front_slice = onnx.Slice(x, [0] * len(dims), [index.shape[d] for d in dims], dims) if dims else x
    return onnx.GatherElements(front_slice, index, axis=dim)


def with_values(onnx: Any, x: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Any:
    """x with x[indices] set to values, or with these added."""
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    if any(indices[dim].dtype in ("bool", "uint8") for dim in dims):
        return _masked(onnx, x, indices, values, accumulate)
    positions, shape = _indices(onnx, indices, dims)
    rest = [size for dim, size in enumerate(x.shape) if dim not in dims]
    order = _order_of_result(x.ndim, dims, len(shape))
    full = [(*shape, *rest)[each] for each in order]
    values = onnx.Transpose(onnx.Expand(values, full), perm=np.argsort(order))
    front = _in_front(onnx, x, dims)
    written = onnx.ScatterND(front, positions, values, reduction="add" if accumulate else None)
    return onnx.Transpose(written, perm=np.argsort(_front(x.ndim, dims)))


def filled_along(onnx: Any, x: Any, dim: int, index: Any, value: Any) -> Any:
    """x with one number in slices along a dimension."""
    dim, sizes = dim % max(x.ndim, 1), list(x.shape) or [1]
    rows = onnx.Expand(value, [prod(index.shape), *sizes[:dim], *sizes[dim + 1 :]])
    return _with_rows(onnx, x, dim, index, rows)


def written_along(onnx: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    """x with slices along a dimension replaced by those of another tensor."""
    dim, sizes = dim % max(x.ndim, 1), list(x.shape) or [1]
    slices = onnx.Reshape(source, [*sizes[:dim], prod(index.shape), *sizes[dim + 1 :]])
    return _with_rows(onnx, x, dim, index, onnx.Transpose(slices, perm=_front(len(sizes), [dim])))


def _with_rows(onnx: Any, x: Any, dim: int, index: Any, rows: Any) -> Any:
    """x with slices along a dimension replaced by rows, in which this dimension is the first one."""
    order = _front(max(x.ndim, 1), [dim])
    front = onnx.Transpose(x if x.ndim else onnx.Reshape(x, [1]), perm=order)
    written = onnx.ScatterND(front, onnx.Cast(onnx.Reshape(index, [-1, 1]), to=7), rows)
    return onnx.Reshape(onnx.Transpose(written, perm=np.argsort(order)), list(x.shape))


def flat_put(onnx: Any, x: Any, index: Any, source: Any, accumulate: bool) -> Any:
    """x with elements written, or added, at places of the flattened tensor."""
    positions, values = onnx.Reshape(index, [-1, 1]), onnx.Reshape(source, [-1])
    written = onnx.ScatterND(onnx.Reshape(x, [-1]), positions, values, reduction="add" if accumulate else None)
    return onnx.Reshape(written, list(x.shape))


def _masked(onnx: Any, x: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Any:
    """One number, or one for each element behind the mask's dimensions, written where the mask is true."""
    mask = indices[0]
    trailing = x.ndim - (mask.ndim if mask is not None else 0)
    if len(indices) != 1 or mask.dtype != "bool" or (values.ndim > trailing and values.shape != (1,)):
        raise NotImplementedError("x[mask] = values depends on how many elements of the mask are true")
    where = onnx.Unsqueeze(mask, list(range(mask.ndim, x.ndim))) if trailing else mask
    values = onnx.Reshape(values, []) if values.shape == (1,) else values
    return onnx.Where(where, x + values if accumulate else values, x)


def _indices(onnx: Any, indices: Sequence[Any], dims: Sequence[int]) -> tuple[Any, tuple[int, ...]]:
    """The indices side by side along a last dimension, and the shape that they have together."""
    shape = np.broadcast_shapes(*(indices[dim].shape for dim in dims))
    parts = [indices[dim] if indices[dim].shape == shape else onnx.Expand(indices[dim], shape) for dim in dims]
    parts = [onnx.Unsqueeze(onnx.Cast(part, to=7), [-1]) for part in parts]
    return (onnx.Concat(*parts, axis=-1) if len(parts) > 1 else parts[0]), shape


def _front(ndim: int, dims: Sequence[int]) -> list[int]:
    return [*dims, *(dim for dim in range(ndim) if dim not in dims)]


def _in_front(onnx: Any, x: Any, dims: Sequence[int]) -> Any:
    order = _front(x.ndim, dims)
    return x if order == sorted(order) else onnx.Transpose(x, perm=order)


def _order_of_result(ndim: int, dims: Sequence[int], count: int) -> list[int]:
    """The order in which dimensions of indices, which come first, stand: in the place of those that they replace,
    if these are neighbours."""
    if dims[-1] - dims[0] != len(dims) - 1:
        return list(range(count + ndim - len(dims)))
    rest = list(range(count, count + ndim - len(dims)))
    return [*rest[: dims[0]], *range(count), *rest[dims[0] :]]
