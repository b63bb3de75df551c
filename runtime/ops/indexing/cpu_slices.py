"""Slices along a dimension, and single elements, written over by index or by a mask, and views written over.

A kernel whose name ends with an underscore writes to its first array, whatever its layout is, when all indices have
been found to be inside; the one without writes to a copy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import DimensionError, ShapeError
from ...kernels.cpu.contiguous_copy import contiguous, copied
from ...kernels.cpu.plan import Array
from ...kernels.declarations import writes
from ...shapes import contiguous_strides
from ...tensor import view_shapes
from .cpu_index_put import on_copy, put_slices_at, put_where


def index_copy(a: Array, dim: int, positions: Array, source: Array) -> Array:
    return on_copy(index_copy_, a, dim, positions, source)


@writes("index_copy")
def index_copy_(out: Array, dim: int, positions: Array, source: Array) -> None:
    full, line = out.reshape(out.shape or 1), positions.reshape(-1)
    slices = source.reshape(*full.shape[:dim], line.size, *full.shape[dim + 1 :])
    put_slices_at("index_copy", full, [dim], [line], [0], slices, False, DimensionError)


def index_fill(a: Array, dim: int, positions: Array, value: Any) -> Array:
    return on_copy(index_fill_, a, dim, positions, value)


@writes("index_fill")
def index_fill_(out: Array, dim: int, positions: Array, value: Any) -> None:
    full, arg = out.reshape(out.shape or 1), np.asarray(value, out.dtype)
    put_slices_at("index_fill", full, [dim], [positions.reshape(-1)], [-full.shape[dim]], arg, False, DimensionError)


def put_flat(a: Array, positions: Array, source: Array, accumulate: bool) -> Array:
    return on_copy(put_flat_, a, positions, source, accumulate)


@writes("put_flat")
def put_flat_(out: Array, positions: Array, source: Array, accumulate: bool) -> None:
    line = contiguous(out).reshape(-1)
    args = [0], [positions.reshape(-1)], [-line.size], source.reshape(-1)
    put_slices_at("put", line, *args, accumulate, DimensionError)
    if not out.flags.c_contiguous:
        out[...] = line.reshape(out.shape)


def masked_written(a: Array, mask: Array, source: Array) -> Array:
    result, where = copied(a), np.broadcast_to(mask, a.shape)
    count = int(np.count_nonzero(where))
    if count > source.size:
        raise ShapeError(
            f"masked_scatter(): Number of elements of source < number of ones in mask: {source.size} < {count}"
        )
    put_where(result, where, source.reshape(-1)[:count])
    return result


def _over(view: Callable[..., view_shapes.Layout]) -> Callable[..., Array]:
    def scatter(a: Array, src: Array, *where: int) -> Array:
        result = copied(a)
        shape, steps, first = view(a.shape, contiguous_strides(a.shape), 0, *where)
        if src.size:
            strides = tuple([step * a.itemsize for step in steps])
            np.ndarray(shape, result.dtype, result, first * a.itemsize, strides)[...] = src
        return result

    scatter.__name__ = f"{view.__name__}_scatter"  # by which kernels of other devices are found
    return scatter


select_scatter = _over(view_shapes.select)
slice_scatter = _over(view_shapes.slice)
diagonal_scatter = _over(view_shapes.diagonal)
