"""Indexing with arrays and masks on a CUDA device, and of slices along one dimension: reading, writing and adding."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.layouts import steps_in
from ...cuda.launching.moving import within_reach
from ...cuda.memory import in_order
from . import cpu, cpu_take, cpu_writes
from .cuda_found import nonzero
from .cuda_rows import INT32, added_to_rows, broadcast, collected, rows_at, rows_taken, taken, transposed

__all__ = [
    "index",
    "index_add",
    "index_backward",
    "index_put",
    "index_select",
    "index_select_backward",
    "nonzero",
    "take_elements",
]

Ints = tuple[int, ...]
Indices = Sequence[DeviceArray | None]


@within_reach(cpu_take.index_select)
def index_select(a: DeviceArray, dim: int, positions: DeviceArray) -> DeviceArray:
    table = a if a.ndim else a.reshape(1)
    line = positions if positions.ndim == 1 else in_order(positions).ravel()
    found = rows_taken("index_select", table, dim % table.ndim, line, False)
    return found if a.ndim else found.reshape(())


@within_reach(cpu_take.take_elements)
def take_elements(a: DeviceArray, positions: DeviceArray) -> DeviceArray:
    return rows_taken("take", in_order(a).ravel(), 0, positions, True)


@within_reach(cpu.index_select_backward)
def index_select_backward(grad: DeviceArray, sizes: Ints, dim: int, positions: DeviceArray) -> DeviceArray:
    return _slices_added(memory.result_of_zeros(grad, sizes), dim, positions, grad, 1)


@within_reach(cpu_writes.index_add)
def index_add(a: DeviceArray, dim: int, positions: DeviceArray, source: DeviceArray, alpha: Any) -> DeviceArray:
    return _slices_added(in_order(a), dim, positions, source, alpha)


def _slices_added(start: DeviceArray, dim: int, positions: DeviceArray, source: DeviceArray, alpha: Any) -> DeviceArray:
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
        found = _without_masks(indices)
        self.dims = [d for d, item in enumerate(found) if item is not None]
        self.arrays: list[Any] = [item for item in found if item is not None]
        self.rest = [d for d in range(len(shape)) if d not in self.dims]
        self.common = _common(op, self.arrays)
        together = self.dims == list(range(self.dims[0], self.dims[-1] + 1)) if self.dims else True
        self.at = self.dims[0] if together and self.dims else 0
        sizes = [shape[d] for d in self.rest]
        self.result = (*sizes[: self.at], *self.common, *sizes[self.at :])

    @property
    def order(self) -> list[int]:
        """The dimensions, those with an index first."""
        return [*self.dims, *self.rest]

    def rows(self) -> DeviceArray:
        """The rows of the array, its indexed dimensions made one, for all of `common`."""
        found: list[DeviceArray] = []
        for dim, item in zip(self.dims, self.arrays, strict=True):
            before = found.pop() if found else None
            spread = broadcast(item, self.common)
            found.append(rows_at(self.op, spread, dim, self.shape[dim], True, before))
        return found[0]

    def as_table(self, a: DeviceArray) -> DeviceArray:
        """What is indexed, in row order, its indexed dimensions made one."""
        moved = in_order(transposed(a, self.order))
        return moved.reshape(prod(self.shape[d] for d in self.dims), *moved.shape[len(self.dims) :])

    def as_rows(self, values: DeviceArray) -> DeviceArray:
        first = range(self.at, self.at + len(self.common))
        order = [*first, *[d for d in range(len(self.result)) if d not in first]]
        return in_order(transposed(broadcast(values, self.result), order))


def _without_masks(indices: Indices) -> list[DeviceArray | None]:
    """Each mask replaced by the indices where it is true, one array for each of its dimensions."""
    result: list[DeviceArray | None] = []
    for item in indices:
        if item is None or item.dtype.kind != "b":
            result.append(item)
            continue
        places = nonzero(item if item.ndim else item.reshape(1))
        step = places.itemsize
        result += [places.viewed(places.shape[:1], d * step, (places.shape[1] * step,)) for d in range(item.ndim or 1)][
            : item.ndim
        ]
    return result


def _common(op: str, arrays: Sequence[DeviceArray]) -> Ints:
    try:
        return np.broadcast_shapes(*(item.shape for item in arrays))
    except ValueError:
        shapes = ", ".join(str(list(item.shape)) for item in arrays)
        raise IndexError(
            f"{op}(): shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None


@within_reach(cpu_take.index)
def index(a: DeviceArray, indices: Indices) -> DeviceArray:
    found = Indexed("index", a.shape, indices)
    if not found.dims:
        return memory.result_of(a)
    if len(found.dims) == 1:
        return rows_taken("index", a, found.dims[0], found.arrays[0], True)
    table, rows = found.as_table(a), found.rows()
    sizes, common = table.shape[1:], len(found.common)
    steps = steps_in(table, table.shape)
    table_steps = (*steps[1:][: found.at], *[0] * common, *steps[1:][found.at :])
    index_steps = (*[0] * found.at, *steps_in(rows, rows.shape), *[0] * (len(sizes) - found.at))
    return taken("index", table, rows, found.result, table_steps, index_steps, steps[0], 0, table.shape[0], False)


@within_reach(cpu.index_backward)
def index_backward(grad: DeviceArray, sizes: Ints, indices: Indices) -> DeviceArray:
    return _put("index_backward", memory.result_of_zeros(grad, sizes), indices, grad, True)


@within_reach(cpu_writes.index_put)
def index_put(a: DeviceArray, indices: Indices, values: DeviceArray, accumulate: bool) -> DeviceArray:
    return _put("index_put", a, indices, values, accumulate)


def _put(op: str, a: DeviceArray, indices: Indices, values: DeviceArray, accumulate: bool) -> DeviceArray:
    found = Indexed(op, a.shape, indices)
    _require_fits(op, values.shape, found.result)
    if not found.dims:
        return _put_everywhere(a, values, accumulate)
    table = found.as_table(a)
    result = added_to_rows(table, found.rows(), found.as_rows(values), "sum" if accumulate else "last")
    moved = result.reshape(tuple(a.shape[d] for d in found.order))
    back = sorted(range(a.ndim), key=found.order.__getitem__)
    return transposed(moved, back)


def _put_everywhere(a: DeviceArray, values: DeviceArray, accumulate: bool) -> DeviceArray:
    result = memory.result_of(a)
    if not accumulate:
        memory.copy(result, values)
        return result
    flat = memory.copied(broadcast(values, a.shape))
    rows = memory.zeros((1,), INT32, a.device)
    return collected(result, rows, flat, (1, 1, a.size, 1), (0, 0, 0), (0, 0, 1), "sum")


def _require_fits(op: str, given: Ints, wanted: Ints) -> None:
    """Values must broadcast to the shape of what is indexed."""
    pairs = zip(reversed(given), reversed(wanted), strict=False)
    if len(given) > len(wanted) or any(n not in (1, m) for n, m in pairs):
        raise RuntimeError(
            f"{op}(): shape mismatch: value tensor of shape {list(given)} cannot be broadcast to "
            f"indexing result of shape {list(wanted)}"
        )
