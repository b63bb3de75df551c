"""Writing by arrays of indices and by masks, and adding: x[rows] = y, x[:, rows] += y, x[rows, columns] = y, x[m] = y.

A kernel whose name ends with an underscore writes to its first array, whatever its layout is, when all indices have
been found to be inside; the one without writes to a copy. No memory outside the arrays is ever touched.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous, copied
from ...kernels.cpu.index_select import COLUMNS
from ...kernels.cpu.plan import Array, Ints
from ...kernels.declarations import writes
from .cpu_index import as_indexed, broadcast_shape_of, expanded_view, fold_step, memory_of, require_inside
from .cpu_mask import UINT_OF_SIZE, as_uints, counted, full_mask, without_masks
from .cpu_scatter_loops import add_offsets, fill_true, put_slices, write_true

Indices = Sequence[Array | None]
Steps = tuple[int | None, ...]
WORK = 2  # elements of a sum that one written by index counts as


def on_copy(write: Callable[..., None], a: Array, *args: Any) -> Array:
    result = copied(a)
    write(result, *args)
    return result


def index_put(a: Array, indices: Indices, values: Array, accumulate: bool) -> Array:
    return on_copy(index_put_, a, indices, values, accumulate)


@writes("index_put")
def index_put_(out: Array, indices: Indices, values: Array, accumulate: bool) -> None:
    """Writes `values`, or adds them, at `indices`."""
    mask = None if accumulate else full_mask(out.shape, indices)
    if mask is not None:
        put_where(out, mask, values)
        return
    result = without_masks(indices)
    dims = [dim for dim, item in enumerate(result) if item is not None]
    arrays = [item.astype(np.int64, copy=False) for item in result if item is not None]
    if dims:
        put_slices_at("index_put", out, dims, arrays, [-out.shape[dim] for dim in dims], values, accumulate, IndexError)
    else:
        value = as_indexed("index_put", values, out.shape)
        out[...] = out + value if accumulate else value


def index_add(a: Array, dim: int, positions: Array, source: Array, alpha: int | float | complex) -> Array:
    return on_copy(index_add_, a, dim, positions, source, alpha)


@writes("index_add")
def index_add_(out: Array, dim: int, positions: Array, source: Array, alpha: int | float | complex) -> None:
    full, line = out.reshape(out.shape or 1), positions.reshape(-1).astype(np.int64, copy=False)
    scaled = source if alpha == 1 else source * out.dtype.type(alpha)
    slices = scaled.reshape(*full.shape[:dim], line.size, *full.shape[dim + 1 :])
    put_slices_at("index_add", full, [dim], [line], [0], slices, True, RuntimeError)


def put_slices_at(
    op: str,
    out: Array,
    dims: Sequence[int],
    arrays: Sequence[Array],
    lower_bound: Sequence[int],
    values: Array,
    add: bool,
    error: type[Exception],
) -> None:
    common = broadcast_shape_of(op, arrays)
    shape, front, steps = chosen_of(out.shape, out.strides, out.itemsize, tuple(dims), common)
    value = as_indexed(op, values, shape)
    idxs, outside = np.zeros(math.prod(common), np.int64), np.zeros(1, np.int64)
    for array, dim, lowest in zip(arrays, dims, lower_bound, strict=True):
        step = out.strides[dim] // out.itemsize
        add_offsets(expanded_view(array, common).reshape(-1), lowest, out.shape[dim], step, idxs, outside)
    if outside[0]:
        for array, dim, lowest in zip(arrays, dims, lower_bound, strict=True):
            require_inside(op, array, dim, out.shape[dim], error, lowest)
    if value.size and None in steps:
        put_everywhere(out, dims, arrays, values, add)
    elif value.size:
        put_folded(out, idxs, value, steps, (front, front + len(common)), add)


class IndexedLayout(NamedTuple):
    shape: Ints
    strides: Ints
    itemsize: int


@lru_cache(maxsize=4096)
def chosen_of(shape: Ints, strides: Ints, itemsize: int, dims: Ints, common: Ints) -> tuple[Ints, int, Steps]:
    """The shape of what indices choose, where their dimensions are in it, and (step before, elements behind, step)."""
    front = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0  # in front of all, where others lie between them
    rest = [dim for dim in range(len(shape)) if dim not in dims]
    order, behind = (*rest[:front], *dims, *rest[front:]), front + len(dims)
    with_layout = IndexedLayout(tuple([shape[dim] for dim in order]), tuple([strides[dim] for dim in order]), itemsize)
    width = math.prod(with_layout.shape[behind:])
    step, along = fold_step(with_layout, range(front)), fold_step(with_layout, range(behind, len(order)))
    return (*with_layout.shape[:front], *common, *with_layout.shape[behind:]), front, (step, width, along)


@lru_cache(maxsize=4096)
def folded_steps_of(shape: Ints, strides: Ints, itemsize: int, chosen: tuple[int, int]) -> Steps:
    """The steps of an array's dimensions before, from and behind two numbers, each folded into one."""
    with_layout = IndexedLayout(shape, strides, itemsize)
    parts = range(chosen[0]), range(*chosen), range(chosen[1], len(shape))
    return tuple([fold_step(with_layout, dims) for dims in parts])


def put_folded(out: Array, idxs: Array, value: Array, steps: Steps, chosen: tuple[int, int], add: bool) -> None:
    """Writes values, whose dimensions from one number to another are those of the places."""
    folded = folded_steps_of(value.shape, value.strides, value.itemsize, chosen)
    if None in folded:
        value = np.ascontiguousarray(value)
        folded = folded_steps_of(value.shape, value.strides, value.itemsize, chosen)
    flat = (flat_memory(out), idxs, flat_memory(value)) if add else (memory_of(out), idxs, memory_of(value))
    unit = 1 if steps[1] == 1 else COLUMNS
    shared(put_slices, (*flat, *steps, *folded, add), value.size // idxs.size, WORK * value.size, unit)


def flat_memory(a: Array) -> Array:
    return memory_of(a).view(a.dtype)


def put_everywhere(out: Array, dims: Sequence[int], arrays: Sequence[Array], values: Array, add: bool) -> None:
    key: list[Any] = [slice(None)] * out.ndim
    for dim, array in zip(dims, arrays, strict=True):
        key[dim] = array
    if add:
        np.add.at(out, tuple(key), values)
    else:
        out[tuple(key)] = values


def put_where(out: Array, mask: Array, values: Array) -> None:
    is_one = values.size == 1 and values.ndim < 2
    if not out.flags.c_contiguous or out.itemsize not in UINT_OF_SIZE:
        value = values if is_one else as_indexed("index_put", values, (int(np.count_nonzero(mask)),))
        out[mask] = value
    elif is_one:
        line = as_uints(contiguous(mask))
        shared(fill_true, (as_uints(out), line, as_uints(np.ascontiguousarray(values))), line.size, WORK * line.size)
    else:
        line, starts = counted(mask)
        value = as_uints(np.ascontiguousarray(as_indexed("index_put", values, (int(starts[-1]),))))
        shared(write_true, (as_uints(out), line, starts, value), starts.size - 1, WORK * line.size)
