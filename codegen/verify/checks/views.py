"""Check 10: views of what is itself a part of larger memory, which begins before its first element.

A view's formula may count places from the memory's beginning or from the tensor's own; only where these differ is it
seen which. Its differences are taken by elements of the tensor, as everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from specgrad.runtime.tensor.base import alias

from ..point import Point, adopt
from ..report import Report
from .forward import check_forward
from .reverse import check_reverse

BEFORE, AFTER = 4, 5  # elements of the memory around those of the tensor; pairs of numbers begin at even places


class Displaced(Point):
    """A point whose leaves lie within larger memory."""

    @property
    def arrays(self) -> list[np.ndarray]:
        """The leaves' values, in memory of their own."""
        return [displaced(leaf.array) for leaf in self.leaves]

    def over(self, array: np.ndarray) -> Any:
        """A tensor that begins behind the first elements of its memory."""
        memory = array if array.base is None else array.base
        strides = tuple(step // array.itemsize for step in array.strides)
        return alias(adopt(memory), array.shape, strides, BEFORE)

    def __str__(self) -> str:
        return f"{super().__str__()} of a part of larger memory"


def displaced(array: np.ndarray) -> np.ndarray:
    """The same elements between others, which are their own numbers again."""
    memory = np.resize(array, BEFORE + array.size + AFTER) if array.size else np.zeros(BEFORE + AFTER, array.dtype)
    memory = memory.copy()
    memory[BEFORE : BEFORE + array.size] = array.reshape(-1)
    return memory[BEFORE : BEFORE + array.size].reshape(array.shape)


def check_displaced(point: Point, report: Report) -> None:
    """The gradients of a view of such tensors, in both modes."""
    if point.op.kind != "view":
        return
    moved = Displaced(point.op, point.text, point.hard, point.is_complex)
    check_reverse(moved, report)
    check_forward(moved, report)
