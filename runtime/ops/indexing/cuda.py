"""Indexing with arrays and masks on a CUDA device, and of slices along one dimension: reading, writing and adding."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...errors import ShapeError
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import in_order
from ...kernels.cuda_launch.gather_scatter import (
    INT32,
    added_to_rows,
    broadcast,
    collected,
    gathered,
    rows_at,
    rows_gathered,
    transposed,
)
from ...kernels.cuda_launch.layouts import steps_in
from ...kernels.cuda_launch.per_element import pinned_reader
from ...shapes import contiguous_strides
from ...tensor import view_shapes
from . import cpu_index, cpu_index_put
from . import cpu_slices as cpu
from .cuda_gather import nonzero, one_of

Ints = tuple[int, ...]
Indices = Sequence[Array | None]


@pinned_reader(cpu_index.index_select)
def index_select(a: Array, dim: int, positions: Array) -> Array:
    table = a if a.ndim else a.reshape(1)
    line = positions if positions.ndim == 1 else in_order(positions).ravel()
    result = rows_gathered("index_select", table, dim % table.ndim, line, False)
    return result if a.ndim else result.reshape(())


@pinned_reader(cpu_index.take_elements)
def take_elements(a: Array, positions: Array) -> Array:
    return rows_gathered("take", in_order(a).ravel(), 0, positions, True)


@pinned_reader(cpu_index.index_select_backward)
def index_select_backward(grad: Array, sizes: Ints, dim: int, positions: Array) -> Array:
    return _slices_added(arrays.result_of_zeros(grad, sizes), dim, positions, grad, 1)


@pinned_reader(cpu_index_put.index_add)
def index_add(a: Array, dim: int, positions: Array, source: Array, alpha: Any) -> Array:
    return _slices_added(in_order(a), dim, positions, source, alpha)


def _slices_added(start: Array, dim: int, positions: Array, source: Array, alpha: Any) -> Array:
    shape = start.shape or (1,)
    before, along, after = prod(shape[:dim]), shape[dim], prod(shape[dim:][1:])
    rows = rows_at("index_add", positions, dim, along, False)
    count = positions.size
    steps = (0, 1, 0), (count * after, after, 1)
    name = "sum" if alpha == 1 else "scaled"
    return collected(start, rows, in_order(source), (before, along, after, count), *steps, name, alpha)


class Indexed:
    """What indices mean for an array of a shape.

    Args:
        op: for messages.
        shape: of what is indexed.
        indices: for its first dimensions, None for all of one.

    `dims` have an index, `rest` have none; `common` is the shape of the indices together, `result` that of what is
    indexed; in that, `common` begins at dimension `at`.
    """

    def __init__(self, op: str, shape: Ints, indices: Indices) -> None:
        self.op, self.shape = op, shape
        result = _without_masks(indices)
        self.dims = [d for d, item in enumerate(result) if item is not None]
        self.arrays: list[Any] = [item for item in result if item is not None]
        self.rest = [d for d in range(len(shape)) if d not in self.dims]
        self.order = [*self.dims, *self.rest]
        self.common = cpu_index.broadcast_shape_of(op, self.arrays)
        is_adjacent = self.dims == list(range(self.dims[0], self.dims[-1] + 1)) if self.dims else True
        self.at = self.dims[0] if is_adjacent and self.dims else 0
        sizes = [shape[d] for d in self.rest]
        self.result = (*sizes[: self.at], *self.common, *sizes[self.at :])

    def rows(self) -> Any:
        """The rows of the array, its indexed dimensions made one, for all of `common`."""
        rows = None
        for dim, item in zip(self.dims, self.arrays, strict=True):
            rows = rows_at(self.op, broadcast(item, self.common), dim, self.shape[dim], True, rows)
        return rows

    def as_table(self, a: Array) -> Array:
        moved = in_order(transposed(a, self.order))
        return moved.reshape(prod(self.shape[d] for d in self.dims), *moved.shape[len(self.dims) :])

    def as_rows(self, values: Array) -> Array:
        first = range(self.at, self.at + len(self.common))
        order = [*first, *[d for d in range(len(self.result)) if d not in first]]
        return in_order(transposed(broadcast(values, self.result), order))


def _without_masks(indices: Indices) -> list[Array | None]:
    result: list[Array | None] = []
    for item in indices:
        if item is None or item.dtype.kind != "b":
            result.append(item)
        elif item.ndim:
            idxs, step = nonzero(item), np.dtype(np.int64).itemsize
            result += [idxs.viewed(idxs.shape[:1], d * step, (item.ndim * step,)) for d in range(item.ndim)]
    return result


@pinned_reader(cpu_index.index)
def index(a: Array, indices: Indices) -> Array:
    result = Indexed("index", a.shape, indices)
    if not result.dims:
        return arrays.result_of(a)
    if len(result.dims) == 1:
        return rows_gathered("index", a, result.dims[0], result.arrays[0], True)
    table, rows = result.as_table(a), result.rows()
    sizes, common = table.shape[1:], len(result.common)
    steps = steps_in(table, table.shape)
    table_steps = (*steps[1:][: result.at], *[0] * common, *steps[1:][result.at :])
    index_steps = (*[0] * result.at, *steps_in(rows, rows.shape), *[0] * (len(sizes) - result.at))
    return gathered("index", table, rows, result.result, table_steps, index_steps, steps[0], 0, table.shape[0], False)


@pinned_reader(cpu_index.index_backward)
def index_backward(grad: Array, sizes: Ints, indices: Indices) -> Array:
    return _put("index_backward", arrays.result_of_zeros(grad, sizes), indices, grad, True)


@pinned_reader(cpu_index_put.index_put)
def index_put(a: Array, indices: Indices, values: Array, accumulate: bool) -> Array:
    return _put("index_put", a, indices, values, accumulate)


def _put(op: str, a: Array, indices: Indices, values: Array, accumulate: bool) -> Array:
    value = Indexed(op, a.shape, indices)
    _require_fits(op, values.shape, value.result)
    if not value.dims:
        return _put_everywhere(a, values, accumulate)
    table = value.as_table(a)
    result = added_to_rows(table, value.rows(), value.as_rows(values), "sum" if accumulate else "last")
    moved = result.reshape(tuple(a.shape[d] for d in value.order))
    back = sorted(range(a.ndim), key=value.order.__getitem__)
    return transposed(moved, back)


def _put_everywhere(a: Array, values: Array, accumulate: bool) -> Array:
    result = arrays.result_of(a)
    if not accumulate:
        arrays.copy(result, values)
        return result
    flat = arrays.copied(broadcast(values, a.shape))
    rows = arrays.zeros((1,), INT32, a.device)
    return collected(result, rows, flat, (1, 1, a.size, 1), (0, 0, 0), (0, 0, 1), "sum")


def _require_fits(op: str, value: Ints, output_mask: Ints) -> None:
    pairs = zip(reversed(value), reversed(output_mask), strict=False)
    if len(value) > len(output_mask) or any(n not in (1, m) for n, m in pairs):
        raise RuntimeError(
            f"{op}(): shape mismatch: value tensor of shape {list(value)} cannot be broadcast to "
            f"indexing result of shape {list(output_mask)}"
        )


@pinned_reader(cpu.index_copy)
def index_copy(a: Array, dim: int, positions: Array, source: Array) -> Array:
    return _written("index_copy", a, dim, positions, in_order(source), False)


@pinned_reader(cpu.index_fill)
def index_fill(a: Array, dim: int, positions: Array, value: Any) -> Array:
    return _written("index_fill", a, dim, positions, one_of(value, a), True)


def _written(op: str, a: Array, dim: int, positions: Array, values: Array, alike: bool) -> Array:
    shape = a.shape or (1,)
    before, along, after = prod(shape[:dim]), shape[dim], prod(shape[dim:][1:])
    rows, count = rows_at(op, positions, dim, along, alike), positions.size
    if not a.size or not count:
        return arrays.result_of(a)
    steps = (0, 0, 0) if alike else (count * after, after, 1)
    return collected(in_order(a), rows, values, (before, along, after, count), (0, 1, 0), steps, "last")


@pinned_reader(cpu.put_flat)
def put_flat(a: Array, positions: Array, source: Array, accumulate: bool) -> Array:
    rows = rows_at("put", in_order(positions).ravel(), 0, a.size, True)
    if not rows.size:
        return arrays.result_of(a)
    table, values = in_order(a).reshape(a.size), in_order(source).ravel()
    return added_to_rows(table, rows, values, "sum" if accumulate else "last").reshape(a.shape)


@pinned_reader(cpu.masked_written)
def masked_written(a: Array, mask: Array, source: Array) -> Array:
    indices = nonzero(in_order(broadcast(mask, a.shape)).ravel())
    total = indices.shape[0]
    if total > source.size:
        raise ShapeError(
            f"masked_scatter(): Number of elements of source < number of ones in mask: {source.size} < {total}"
        )
    if not total:
        return arrays.result_of(a)
    rows, values = rows_at("masked_scatter", indices.ravel(), 0, a.size, False), in_order(source).ravel()[:total]
    return added_to_rows(in_order(a).reshape(a.size), rows, values, "last").reshape(a.shape)


def _over(view: Callable[..., view_shapes.Layout], of_host: Callable[..., Any]) -> Callable[..., Array]:
    @pinned_reader(of_host)
    def scatter(a: Array, src: Array, *where: int) -> Array:
        result = arrays.result_of(a)
        shape, steps, first = view(a.shape, contiguous_strides(a.shape), 0, *where)
        if src.size:
            item = result.itemsize
            arrays.copy(result.viewed(tuple(shape), first * item, tuple([item * step for step in steps])), src)
        return result

    return scatter


select_scatter = _over(view_shapes.select, cpu.select_scatter)
slice_scatter = _over(view_shapes.slice, cpu.slice_scatter)
diagonal_scatter = _over(view_shapes.diagonal, cpu.diagonal_scatter)
