"""Elements on a CUDA device read, written and reduced at one index along a dimension each, and those that are not zero.

How many are not zero is read by the host, which waits for it.
"""

from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...errors import ShapeError
from ...kernels.cuda.search import CHOSEN, ORDER
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import in_order
from ...kernels.cuda_launch.gather_scatter import Ints, collected, elements, gathered, inner_sizes, rows_at
from ...kernels.cuda_launch.layouts import steps_in
from ...kernels.cuda_launch.per_element import numbers, over_elements, pinned_reader
from ...kernels.cuda_launch.sort_and_scan import scan
from . import cpu_gather as cpu
from . import cpu_mask

BOOL, INT64 = np.dtype(np.bool_), np.dtype(np.int64)


def counts_of(a: Array, lines: int) -> Array:
    result = arrays.empty((a.size,), INT64, a.device)
    value = a if a.strides is None else arrays.copied(a)
    scan("count", BOOL, [value], [result], (lines, a.size // lines if lines else 0, 1))
    return result


@pinned_reader(cpu_mask.nonzero)
def nonzero(a: Array) -> Array:
    if not a.size:
        return arrays.empty((0, a.ndim), INT64, a.device)
    counts = counts_of(a, 1)
    total = int(arrays.to_host(counts[a.size - 1 :])[0])
    result = arrays.empty((total, a.ndim), INT64, a.device)
    if result.size:
        sizes = tuple(reversed(a.shape))
        over_elements(CHOSEN, a.size, counts, result, inner_sizes(sizes), *numbers(a.ndim))
    return result


def _ensure_1d(a: Array) -> Array:
    return a if a.ndim else a.reshape(1)


@pinned_reader(cpu.gather)
def gather(a: Array, dim: int, indices: Array, sparse_grad: bool) -> Array:
    table, at = _ensure_1d(a), _ensure_1d(indices)
    dim %= table.ndim
    steps = [0 if d == dim else step for d, step in enumerate(steps_in(table, table.shape))]
    result = gathered(
        *("gather", table, at, at.shape, tuple(steps), steps_in(at, at.shape)),
        *(elements(table, dim), dim, table.shape[dim], False),
    )
    return result.reshape(indices.shape)


@pinned_reader(cpu.gather_backward)
def gather_backward(grad: Array, shape: Ints, dim: int, indices: Array) -> Array:
    return _put("gather", arrays.result_of_zeros(grad, shape), dim, indices, grad, "sum")


@pinned_reader(cpu.scatter)
def scatter(a: Array, dim: int, indices: Array, src: Any) -> Array:
    return _put("scatter", a, dim, indices, src, "last")


@pinned_reader(cpu.scatter_add)
def scatter_add(a: Array, dim: int, indices: Array, src: Array) -> Array:
    return _put("scatter_add", a, dim, indices, src, "sum")


@pinned_reader(cpu.scatter_reduce)
def scatter_reduce(a: Array, dim: int, indices: Array, src: Array, reduce: str, include_self: bool) -> Array:
    return _put("scatter_reduce", a, dim, indices, src, reduce, include_self)


def _put(op: str, a: Array, dim: int, indices: Array, src: Any, name: str, included: bool = True) -> Array:
    """A new array. Where the indices reach only a part of it, that is computed by itself and put back."""
    full, at = _ensure_1d(a), _ensure_1d(indices)
    if not at.size:
        return arrays.result_of(a)
    dim %= full.ndim
    reached = tuple(n if d == dim else m for d, (n, m) in enumerate(zip(full.shape, at.shape, strict=True)))
    part = full if reached == full.shape else full.viewed(reached, 0, full.byte_strides)
    value = _scatter_combined(op, in_order(part), dim, at, src, name, included)
    if part is full:
        return value.reshape(a.shape)
    result = arrays.result_of(full)
    arrays.copy(result.viewed(reached, 0, result.byte_strides), value)
    return result


def _scatter_combined(op: str, part: Array, dim: int, at: Array, src: Any, name: str, included: bool) -> Array:
    before, along, after = prod(part.shape[:dim]), part.shape[dim], prod(part.shape[dim + 1 :])
    count = at.shape[dim]
    rows = rows_at(op, at, dim, along, False)
    steps = (count * after, after, 1)
    if isinstance(src, Array) and src.ndim:
        values, value_steps = in_order(src.viewed(at.shape, 0, src.byte_strides)), steps
    else:
        values, value_steps = one_of(src, part), (0, 0, 0)
    return collected(part, rows, values, (before, along, after, count), steps, value_steps, name, 1, included)


def one_of(src: Any, like: Array) -> Array:
    if isinstance(src, Array):
        return src.reshape(1)
    result = arrays.empty((1,), like.dtype, like.device)
    arrays.fill(result, src)
    return result


@pinned_reader(cpu.checked_indices)
def checked_indices(index: Array, dim: int, size: int, op: str, wrap: bool) -> Array:
    return rows_at(op, index, dim, size, wrap, None, INT64)


@pinned_reader(cpu.order_of_true)
def order_of_true(mask: Array, available: int, lead: int) -> Array:
    if not mask.size:
        return arrays.zeros(mask.shape, INT64, mask.device)
    lines = prod(mask.shape[:lead])
    length = mask.size // lines
    counts = counts_of(mask, lines)
    total = int(arrays.to_host(counts.viewed((lines,), (length - 1) * 8, (length * 8,))).max())
    if total > available:
        raise ShapeError(
            f"masked_scatter(): Number of elements of source < number of ones in mask: {available} < {total}"
        )
    result = arrays.empty(mask.shape, INT64, mask.device)
    value = mask if mask.strides is None else arrays.copied(mask)
    over_elements(ORDER, mask.size, value.ravel(), counts, result)
    return result
