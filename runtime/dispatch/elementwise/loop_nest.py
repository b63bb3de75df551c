"""Operands of different shapes and layouts as rows: how an element-wise kernel steps through each without copying it.

All dimensions are merged that every operand steps through evenly. What is left are loops over rows, of which the
general path takes two; of each operand a row is either consecutive in memory or one repeated number.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ...pool.layout import MAX_LOOPS
from ...tensor.layouts import memory_order
from ...tensor.memory_format import Strides, ordered_strides
from ...tensor.shapes import Shape, broadcast_shapes, contiguous_strides

Layout = tuple[tuple[int, ...], tuple[int, ...] | None]  # shape, strides (None: contiguous)
SHORTEST_ROW = 8  # below, copying an operand costs less than a loop over rows; but for native code
ORDER_THRESHOLD = 64  # elements, for which it does not matter
MUCH = 1 << 16  # elements of a matrix from which it pays not to copy an operand that lies column by column
MAX_TRANSPOSED_ROW = 1 << 14  # elements of a row of such an operand: a block of rows is to stay in a cache


class Rows(NamedTuple):
    """Elements from row to row for each operand, and last the results; `repeated` operands give one number a row."""

    steps: np.ndarray  # of each: by the loops from the outermost to the innermost
    loops: tuple[int, ...]
    size: int
    repeated: tuple[int, ...]

    @property
    def outer(self) -> int:
        return prod(self.loops[:-1])

    @property
    def inner(self) -> int:
        return self.loops[-1]

    def read_extent(self, k: int) -> int:
        """How many elements lie between the first and the last of operand `k` that is read, these included."""
        if not prod(self.loops) * self.size:
            return 0
        within = 1 if k in self.repeated else self.size
        return within + sum((count - 1) * int(step) for count, step in zip(self.loops, self.steps[k], strict=True))


@functools.lru_cache(maxsize=8192)
def broadcast_rows(
    name: str, layouts: tuple[Layout, ...], numbers: int
) -> tuple[Shape, Strides | None, int, Rows | None]:
    """The shape that tensors broadcast to, the strides of the result, None for the usual ones, its number of elements,
    and the rows of tensors, numbers and the result."""
    shape = broadcast_shapes(name, *[own for own, _ in layouts])
    order = result_order(shape, layouts)
    if order is None:
        return shape, None, prod(shape), rows(shape, layouts, numbers, 1, None, MAX_LOOPS, 2)
    permuted = tuple([permuted_layout(layout, shape, order) for layout in layouts])
    result = rows(tuple([shape[dim] for dim in order]), permuted, numbers, 1, None, MAX_LOOPS, 2)
    return shape, ordered_strides(shape, order), prod(shape), result


@functools.lru_cache(maxsize=8192)
def result_order(shape: Shape, layouts: tuple[Layout | None, ...]) -> tuple[int, ...] | None:
    """The dimensions of an element-wise op's result from the outermost in memory to the innermost; None for the order
    of rows, also where only dimensions of size 1 lie elsewhere."""
    if all(layout is None or layout[1] is None for layout in layouts) or not prod(shape):
        return None
    order = memory_order(shape, tuple([tuple(_expanded(shape, layout)) for layout in layouts if layout is not None]))
    wide = [dim for dim in order if shape[dim] != 1]
    return None if wide == sorted(wide) else order


def permuted_layout(layout: Layout, shape: Shape, order: tuple[int, ...]) -> Layout:
    """The layout of an operand with its dimensions in another order, as many as the shape has that it expands to."""
    own, strides = layout
    steps = contiguous_strides(own) if strides is None else strides
    missing = len(shape) - len(own)
    sizes, steps = (1,) * missing + tuple(own), (0,) * missing + tuple(steps)
    return tuple([sizes[dim] for dim in order]), tuple([steps[dim] for dim in order])


def _expanded(shape: Sequence[int], layout: Layout) -> Sequence[int]:
    own, strides = layout
    steps = contiguous_strides(own) if strides is None else strides
    ahead = len(shape) - len(own)
    repeated = [1 == size != wide for size, wide in zip(own, shape[ahead:], strict=True)]
    return [0] * ahead + [0 if again else step for step, again in zip(steps, repeated, strict=True)]


@functools.lru_cache(maxsize=8192)
def rows(
    shape: Sequence[int],
    layouts: tuple[Layout | None, ...],
    numbers: int,
    results: int,
    steps: tuple[int, ...] | None = None,
    max_elements: int = 2,
    shortest: int = SHORTEST_ROW,
) -> Rows | None:
    """The rows of operands broadcast to `shape`, of numbers and of results, contiguous ones unless their strides are
    given; None where it must copy: with more than `most` loops, or `shortest` rows.

    An operand's layout is None where it is a number.
    """
    strides = [_broadcast_strides(shape, layout) for layout in (*layouts, *[None] * numbers)]
    strides += [contiguous_strides(shape) if steps is None else steps] * results
    dims = _merged(shape, strides)
    if len(dims) > max_elements + 1:
        return None
    *around, (size, within) = [(1, [0] * len(strides))] * (3 - len(dims)) + dims
    if any(step not in (0, 1) for step in within) or (size < shortest and prod(shape) > ORDER_THRESHOLD):
        return None
    repeated = tuple(k for k, layout in enumerate(layouts) if layout is not None and not within[k])
    loops, each = zip(*around, strict=True)
    return Rows(np.array(each, np.int64).T.copy(), loops, size, repeated)


@functools.lru_cache(maxsize=1024)
def permuted_rows(
    shape: Sequence[int], layouts: tuple[Layout | None, ...], numbers: int, results: int
) -> tuple[Rows, int, int] | None:
    """The rows of a large matrix where one operand lies column by column: with its number, and its elements' stride."""
    args = [_broadcast_strides(shape, layout) for layout in (*layouts, *[None] * numbers)]
    dims = _merged(shape, [*args, *[contiguous_strides(shape)] * results])
    if prod(shape) < MUCH or len(dims) != 2 or dims[1][0] > MAX_TRANSPOSED_ROW:
        return None
    (count, across), (size, within) = dims
    permuted = [k for k, step in enumerate(within) if step not in (0, 1)]
    if (
        len(permuted) != 1
        or across[permuted[0]] != 1
        or min(count, size) < ORDER_THRESHOLD
        or within[permuted[0]] < count
    ):
        return None
    steps = np.array([[0] * len(across), across], np.int64).T.copy()
    repeated = tuple(k for k, layout in enumerate(layouts) if layout is not None and not within[k])
    return Rows(steps, (1, count), size, repeated), permuted[0], within[permuted[0]]


def _broadcast_strides(shape: Sequence[int], layout: Layout | None) -> Sequence[int]:
    if layout is None:
        return (0,) * len(shape)
    own, strides = layout
    missing = len(shape) - len(own)
    steps = contiguous_strides(own) if strides is None else strides
    return (0,) * missing + tuple(step if n == m else 0 for step, n, m in zip(steps, own, shape[missing:], strict=True))


def _merged(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> list[tuple[int, list[int]]]:
    """(size, strides) of the dimensions, neighbours made one where one step goes through both for every operand."""
    dims: list[tuple[int, list[int]]] = []
    for d, size in enumerate(shape):
        if size == 1:
            continue
        steps = [s[d] for s in strides]
        if dims and all(before == step * size for before, step in zip(dims[-1][1], steps, strict=True)):
            dims[-1] = dims[-1][0] * size, steps
        else:
            dims.append((size, steps))
    return dims or [(1, [0] * (len(strides)))]
