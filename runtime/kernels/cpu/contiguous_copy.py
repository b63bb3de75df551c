"""Contiguous copies of strided operands: row by row, or, where rows are columns, by squares that fit into registers."""

from functools import lru_cache
from math import prod

import numpy as np

from ...compiler.jit import jit
from ...device.threads.job import SLICE
from ...device.threads.parallel_for import by_slices, shared
from ...shapes import contiguous_strides
from ..llvm.addresses import address, clear, item_size, part_of
from .allocate_and_fill import empty, filled
from .index_map_plans import SHORT
from .matmul import COLUMNS, transpose, transpose_at
from .plan import Ints, Layout, Step
from .strided_copy import PART, flat_move, path

Array = np.ndarray


def contiguous_copy(x: Layout, operand: int, output: int) -> Step | None:
    """The call that copies an operand to a result or to memory of the plan; None for layouts that are too involved."""
    result = None if x.strides is None else by_squares(x.shape, merged(x.shape, x.strides)) or along_path(x)
    return None if result is None else result._replace(operands=(operand,), results=((output, x.shape),))


def by_squares(shape: Ints, dims: list[tuple[int, int]]) -> Step | None:
    """Matrices whose columns are rows of the result, block by block of them; None for other dimensions."""
    dims = [(1, 0)] * (3 - len(dims)) + dims
    columns = [k for k, (size, step) in enumerate(dims[:-1]) if step == 1 and size >= SHORT]
    rows, row = dims[-1]
    if len(dims) != 3 or len(columns) != 1 or rows < SHORT or not row:
        return None
    (count, _), (matrices, step) = dims[columns[0]], dims[1 - columns[0]]
    every, each = contiguous_strides(tuple(size for size, _ in dims)), max(1, count // COLUMNS)
    ints = (each, rows, count, row, every[columns[0]], step, every[1 - columns[0]])
    return Step(transposed_copy, (0,), ((0, shape),), (), ints, (matrices * each, 1))


def along_path(x: Layout, shape: Ints | None = None, steps: Ints | None = None, offset: int = 0) -> Step | None:
    """Loops over three dimensions to a contiguous copy, or to a result of a `shape`; None where rows are columns."""
    result = path(x.shape, steps or contiguous_strides(x.shape), x.strides or contiguous_strides(x.shape))
    if result is None:
        return None
    rows, ints = result.outer * result.inner * result.parts, (result.inner, result.size, result.parts, offset)
    every, row = (*result.steps.ravel().tolist(), *ints), min(PART, result.size)
    return Step(path_copy, (0,), ((0, x.shape if shape is None else shape),), (), every, (rows, 1), row=row)


def merged(shape: Ints, strides: Ints) -> list[tuple[int, int]]:
    dims: list[tuple[int, int]] = []
    for size, step in zip(shape, strides, strict=True):
        if dims and dims[-1][1] == step * size:
            dims[-1] = dims[-1][0] * size, step
        elif size != 1:
            dims.append((size, step))
    return dims


def zeros(output: int, shape: Ints) -> Step:
    return Step(cleared, (), ((output, shape),), rows=(prod(shape), SLICE))


@jit
def cleared(out: Array, first: int, last: int) -> None:
    clear(part_of(out, first, last - first))


@jit
def path_copy(
    x: Array, out: Array, outer: int, inner_count: int, along: int, source_outer: int, source_inner: int,
    source_along: int, inner: int, size: int, parts: int, offset: int, first: int, last: int,
) -> None:  # fmt: skip
    steps, to = (source_outer, source_inner, source_along), part_of(out, offset, out.size - offset)
    flat_move(to, x, outer, inner_count, along, *steps, inner, size, parts, first, last)


@jit
def transposed_copy(
    x: Array, out: Array, blocks: int, rows: int, columns: int, row: int, row_of_copy: int, matrix: int,
    matrix_of_copy: int, first: int, last: int,
) -> None:  # fmt: skip
    """Some blocks of columns of matrices, each in so many blocks, as rows of a contiguous copy; steps in elements."""
    like = x[0]
    size = item_size(like)
    for k in range(first, last):
        number, start = k // blocks, k % blocks * COLUMNS
        count = COLUMNS if k % blocks < blocks - 1 else columns - start
        source = address(x) + size * (number * matrix + start)
        to = address(out) + size * (number * matrix_of_copy + start * row_of_copy)
        transpose_at(like, source, size * row, rows, count, to, size * row_of_copy)


Dims = tuple[int, ...]

_ROWS = 64  # that stay together in one thread
_LARGE = 4096  # elements; for fewer NumPy's copy is as good
AS_FLOATS = {4: np.float32, 8: np.float64}  # only moved, so any bits may pass as floats


def contiguous(a: Array) -> Array:
    return a if a.flags.c_contiguous else copied(a)


def copied(a: Array) -> Array:
    if a.size < _LARGE or a.itemsize not in AS_FLOATS:
        return a.copy()
    if not any(a.strides):
        return filled(empty(a.size, a.dtype), a.flat[0]).reshape(a.shape)
    # Other layouts (gaps, four dimensions, steps backwards) are left to NumPy.
    plan = None if a.flags.c_contiguous else _plan(a.shape, a.strides, a.itemsize)
    if plan is None and not a.flags.c_contiguous:
        return a.copy()
    out, moved = empty(a.shape, a.dtype), AS_FLOATS[a.itemsize]
    if plan is None:
        by_slices(_copy, (a.reshape(-1).view(moved), out.reshape(-1).view(moved)), a.size)
        return out
    sizes, strides, order = plan
    source = np.lib.stride_tricks.as_strided(a.view(moved), sizes, strides)
    to = out.view(moved).reshape(sizes)
    loop, last, fastest = order
    arguments = source.transpose(loop, last, fastest), to.transpose(loop, fastest, last)
    shared(_transpose_each, arguments, sizes[loop] * sizes[last], a.size, _ROWS)
    return out


@lru_cache(maxsize=1024)
def _plan(shape: Dims, strides: Dims, itemsize: int) -> tuple[Dims, Dims, Dims] | None:
    """The array as three dimensions, and their order (one to loop over, last, fastest in memory); None for others."""
    dims = merged(shape, strides)
    dims = [(1, 0)] * (3 - len(dims)) + dims
    fastest = [k for k, (_, step) in enumerate(dims[:-1]) if step == itemsize]
    if len(dims) != 3 or len(fastest) != 1 or min(dims[fastest[0]][0], dims[2][0]) < 4 or dims[2][1] <= 0:
        return None
    loop = 1 - fastest[0]
    return tuple(size for size, _ in dims), tuple(step for _, step in dims), (loop, 2, fastest[0])


@jit
def _copy(a: Array, out: Array) -> None:
    for i in range(out.size):
        out[i] = a[i]


@jit
def _transpose_each(source: Array, to: Array, first: int, last: int) -> None:
    rows, k = source.shape[1], first
    while k < last:
        b, start = k // rows, k % rows
        stop = min(rows, start + last - k)
        transpose(source[b, start:stop], to[b, :, start:stop])
        k += stop - start
