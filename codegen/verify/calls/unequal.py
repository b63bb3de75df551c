"""Calls of an entry's samples in which one tensor has another shape than goes with the rest, or indices beyond it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .point import Point, label_of
from .samples import SampledArgument, points

OUTSIDE_INDEX = 1000  # an index beyond all tensors of samples
Change = Callable[[np.ndarray], np.ndarray]


class Changed(Point):
    """A point at which the array of one tensor is another."""

    def __init__(self, point: Point, label: str, about: str, change: Change) -> None:
        self.label, self.about, self.change = label, about, change
        super().__init__(point.op, point.text, point.hard, point.is_complex)
        self.listed = False

    def tensor_or_leaf(self, name: str, index: int | None, value: Any) -> Any:
        if isinstance(value, SampledArgument) and label_of(name, index) == self.label:
            value = replace(value, array=self.change(value.array))
        return super().tensor_or_leaf(name, index, value)

    def __str__(self) -> str:
        return f"{super().__str__()} with '{self.label}' {self.about}"


def unequal_points(op: Any) -> Iterator[Point]:
    """Not of complex numbers where there are real ones, for which kernels keep to arrays in the same way."""
    called = [point for point in points(op) if not point[-1]] or points(op)
    for text, hard, is_complex in called:
        point = Point(op, text, hard, is_complex)
        for label, array in point.sampled.items():
            for about, change in changes(array):
                yield Changed(point, label, about, change)


def changes(array: np.ndarray) -> Iterator[tuple[str, Change]]:
    for shape in other_shapes(array.shape):
        yield f"of shape {list(shape)}", partial(np.resize, new_shape=shape)
    if array.dtype.kind in "iu" and array.size:
        for index in (OUTSIDE_INDEX, -OUTSIDE_INDEX):
            yield f"full of {index}", partial(np.full_like, fill_value=index)


def other_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for dim, size in enumerate(shape):
        yield from ((*shape[:dim], other, *shape[dim + 1 :]) for other in sorted({size - 1, 1} - {size, -1}))
    yield from (fewer for fewer in dict.fromkeys((shape[1:], ())) if fewer != shape)
    yield (2, *shape)
