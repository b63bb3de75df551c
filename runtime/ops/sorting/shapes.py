"""Shape rules of sorting, searching and counting."""

from typing import Any

from ...shapes import Shape
from ..reduction.shapes import reduced


def chosen(self: Any, k: int, dim: int, *rest: Any) -> list[Shape]:
    shape = self.shape and (*self.shape[:dim], k, *self.shape[dim + 1 :])
    return [shape, shape]


def ranked(self: Any, k: int, dim: int, keepdim: bool) -> list[Shape]:
    return [reduced(self, dim, keepdim)] * 2


def bins(self: Any, bins: int, *rest: Any) -> Shape:
    return (bins,)


def between(self: Any, edges: Any, weight: Any) -> Shape:
    return (max(edges.shape[0] - 1, 0),)
