"""References of sorting and choosing."""

from collections.abc import Callable
from typing import Any

import numpy as np


def order(self: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Where the elements in order were; equal ones keep their order in both directions."""
    if not self.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(self, dim, kind="stable")
    backwards = np.argsort(np.flip(self, dim), dim, kind="stable")
    return np.flip(self.shape[dim] - 1 - backwards, dim)


def reserved(self: Any, positions: Any, dim: int) -> Any:
    """The elements at places along `dim`, and the places."""
    return (np.take_along_axis(self, positions, dim) if self.ndim else self), positions


def sort(self: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Values in order, and where they were."""
    return reserved(self, order(self, dim, descending), dim)


def topk(self: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The beginning of a sort."""
    positions = order(self, dim, largest)
    return reserved(self, positions.take(range(k), dim) if self.ndim else positions, dim)


def kthvalue(self: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """One place of a sort."""
    if not self.ndim:
        return self, np.zeros((), np.int64)
    values, positions = reserved(self, order(self, dim).take([k - 1], dim), dim)
    return (values, positions) if keepdim else (values.squeeze(dim), positions.squeeze(dim))


SORTING: dict[str, Callable[..., Any]] = {
    "sort": sort,
    "argsort": order,
    "msort": lambda self: np.sort(self, 0),
    "topk": topk,
    "kthvalue": kthvalue,
}
