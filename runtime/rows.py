"""Operands of different shapes and layouts as rows: how an element-wise kernel steps through each without copying it.

All dimensions are merged that every operand steps through evenly. What is left, at most three dimensions, is a loop
over rows; of each operand a row is either consecutive in memory or one repeated number.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .shapes import contiguous_strides

Layout = tuple[tuple[int, ...], tuple[int, ...] | None]  # shape, strides (None: contiguous)
SHORTEST_ROW = 8  # below, copying an operand costs less than a loop over rows
FEW = 64  # elements, for which it does not matter


class Rows(NamedTuple):
    """How to step: for each operand, and last the results, elements from row to row; `repeated` ones give one number."""

    steps: np.ndarray
    outer: int
    inner: int
    size: int
    repeated: tuple[int, ...]


@functools.lru_cache(maxsize=8192)
def rows(shape: tuple[int, ...], layouts: tuple[Layout | None, ...], results: int) -> Rows | None:
    """The rows of operands broadcast to `shape` (None: a number) and of contiguous results; None where it must copy."""
    strides = [_broadcast_strides(shape, layout) for layout in layouts]
    strides += [contiguous_strides(shape)] * results
    dims = _merged(shape, strides)
    if len(dims) > 3:
        return None
    dims = [(1, [0] * len(strides))] * (3 - len(dims)) + dims
    (outer, steps0), (inner, steps1), (size, within) = dims
    if any(step not in (0, 1) for step in within) or (size < SHORTEST_ROW and prod(shape) > FEW):
        return None
    repeated = tuple(k for k, layout in enumerate(layouts) if layout is not None and not within[k])
    return Rows(np.array([steps0, steps1], np.int64).T.copy(), outer, inner, size, repeated)


def _broadcast_strides(shape: Sequence[int], layout: Layout | None) -> Sequence[int]:
    """The strides of an operand expanded to `shape`: 0 where it is repeated."""
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
