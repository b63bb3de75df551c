"""Reading and writing by index, sums of rows and the order of elements in ONNX operators."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np


def indexed(onnx: Any, x: Any, indices: Sequence[Any]) -> Any:
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
    dim, sizes = dim % max(x.ndim, 1), list(x.shape) or [1]
    rows = onnx.Expand(value, [prod(index.shape), *sizes[:dim], *sizes[dim + 1 :]])
    return _with_rows(onnx, x, dim, index, rows)


def written_along(onnx: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    dim, sizes = dim % max(x.ndim, 1), list(x.shape) or [1]
    slices = onnx.Reshape(source, [*sizes[:dim], prod(index.shape), *sizes[dim + 1 :]])
    return _with_rows(onnx, x, dim, index, onnx.Transpose(slices, perm=_front(len(sizes), [dim])))


def _with_rows(onnx: Any, x: Any, dim: int, index: Any, rows: Any) -> Any:
    order = _front(max(x.ndim, 1), [dim])
    front = onnx.Transpose(x if x.ndim else onnx.Reshape(x, [1]), perm=order)
    written = onnx.ScatterND(front, onnx.Cast(onnx.Reshape(index, [-1, 1]), to=7), rows)
    return onnx.Reshape(onnx.Transpose(written, perm=np.argsort(order)), list(x.shape))


def flat_put(onnx: Any, x: Any, index: Any, source: Any, accumulate: bool) -> Any:
    positions, values = onnx.Reshape(index, [-1, 1]), onnx.Reshape(source, [-1])
    written = onnx.ScatterND(onnx.Reshape(x, [-1]), positions, values, reduction="add" if accumulate else None)
    return onnx.Reshape(written, list(x.shape))


def _masked(onnx: Any, x: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Any:
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


def bags(
    onnx: Any,
    indices: Any,
    weight: Any,
    offsets: Any,
    mode: str,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int | None,
    max_norm: float | None,
) -> Any:
    if max_norm is not None:
        raise NotImplementedError("max_norm changes the weight, which a graph cannot")
    padding = None if padding_idx is None else padding_idx % weight.shape[0]
    counted = onnx.Not(onnx.Equal(indices, -1 if padding is None else padding))
    rows = onnx.Gather(weight, indices)
    if offsets is not None:
        counted = onnx.And(counted, _members(onnx, indices.shape[0], offsets, include_last_offset))
        rows, per_sample_weights = (
            None if each is None else onnx.Unsqueeze(each, [0]) for each in (rows, per_sample_weights)
        )
    unfolded = onnx.Unsqueeze(counted, [2])  # (bags, members, 1)
    return _bag_concat(onnx, rows, unfolded, mode, per_sample_weights)


def _bag_concat(onnx: Any, rows: Any, counted: Any, mode: str, per_sample_weights: Any) -> Any:
    count = onnx.ReduceSum(onnx.CastLike(counted, rows), [1], keepdims=0)
    if mode == "max":
        largest = onnx.ReduceMax(onnx.Where(counted, rows, float("-inf")), [1], keepdims=0)
        return onnx.Where(onnx.Equal(count, 0), 0, largest)
    if per_sample_weights is not None:
        rows = rows * onnx.Unsqueeze(per_sample_weights, [2])
    total = onnx.ReduceSum(onnx.Where(counted, rows, 0), [1], keepdims=0)
    return total / onnx.Max(count, 1) if mode == "mean" else total


def _members(onnx: Any, count: int, offsets: Any, include_last_offset: bool) -> Any:
    """Which positions belong to which bag: (bags, positions)."""
    behind = onnx.Slice(offsets, [1], [2**63 - 1], [0])
    starts = onnx.Slice(offsets, [0], [-1], [0]) if include_last_offset else offsets
    ends = behind if include_last_offset else onnx.Concat(behind, onnx.CastLike([count], offsets), axis=0)
    positions = onnx.CastLike(np.arange(count), offsets)
    after = onnx.LessOrEqual(onnx.Unsqueeze(starts, [1]), positions)
    return onnx.And(after, onnx.Less(positions, onnx.Unsqueeze(ends, [1])))


def kth_smallest(onnx: Any, x: Any, k: int, dim: int, keepdim: bool) -> tuple[Any, Any]:
    result = onnx.TopK(x, [k], axis=dim, largest=0, sorted=1)
    values, indices = (onnx.Gather(each, [k - 1] if keepdim else k - 1, axis=dim) for each in result)
    return values, indices
