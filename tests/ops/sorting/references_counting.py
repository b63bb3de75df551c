"""References of counting, searching and distinct elements."""

from collections.abc import Callable
from typing import Any

import numpy as np


def bincount(self: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number occurs."""
    return np.bincount(self, weights, minlength)


def histogram(self: Any, bins: Any = 100, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """NumPy's histogram, in the dtype of the numbers."""
    if not self.size:
        return np.zeros(bins), np.linspace(0, 1, bins + 1)
    counts, edges = np.histogram(self, bins, range, density, weight)
    return counts.astype(self.dtype), edges


def histc(self: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """The histogram alone, in the range of the elements where both bounds are equal."""
    if min == max and self.size:
        min, max = self.min(), self.max()
    widening = min == max
    return np.histogram(self, bins, (min - widening, max + widening))[0].astype(self.dtype)


def positions(sequence: Any, values: Any, right: bool = False, side: str | None = None, sorter: Any = None) -> Any:
    """How many elements of its row are less than each value, or not greater; nan is greater than all."""
    rows = sequence if sorter is None else np.take_along_axis(sequence, sorter, -1)
    column = np.asarray(values)[..., None]
    rows = rows if rows.ndim == 1 else rows[..., None, :]
    before = ~(rows > column) if right or side == "right" else ~(rows >= column)
    return before.sum(-1)


def distinct(self: Any, dim: int | None = None, runs: bool = False, return_index: bool = True) -> Any:
    """The distinct elements or slices by comparing all with all."""
    slices = list(self.reshape(-1) if dim is None else np.moveaxis(self, dim, 0))
    lists = [s.tolist() for s in slices]
    found: list[Any] = []
    inverse = np.zeros(len(lists), np.int64)
    for i, one in enumerate(lists):
        if (one not in found) if not runs else (not found or one != found[-1]):
            found.append(one)
        inverse[i] = len(found) - 1 if runs else found.index(one)
    order = list(range(len(found))) if runs else sorted(range(len(found)), key=found.__getitem__)
    inverse = np.argsort(order)[inverse] if len(order) else inverse
    values = np.array([found[i] for i in order], self.dtype)
    counts = np.bincount(inverse, minlength=len(order)) if return_index else inverse
    return (
        (values, inverse.reshape(self.shape), counts) if dim is None else (np.moveaxis(values, 0, dim), inverse, counts)
    )


def requested(found: Any, inverse: bool, counts: bool) -> Any:
    """The outputs that are asked for."""
    return found[0] if not (inverse or counts) else (found[0], *[found[1]] * inverse, *[found[2]] * counts)


COUNTING: dict[str, Callable[..., Any]] = {
    "bincount": bincount,
    "bin_counts": bincount,
    "histc": histc,
    "histogram": histogram,
    "counts_between": lambda self, edges, weight: (
        histogram(self, edges, weight=weight)[0] if self.size else np.zeros(1)
    ),
    "searchsorted": lambda sorted_sequence, self, **k: positions(sorted_sequence, self, **k),
    "bucketize": lambda self, boundaries, right=False: positions(boundaries, self, right),
    "searchsorted_indices": lambda sorted_sequence, self, right, sorter: positions(
        sorted_sequence, self, right, sorter=sorter
    ),
    "unique": lambda self, return_inverse=False, return_counts=False, dim=None: requested(
        distinct(self, dim), return_inverse, return_counts
    ),
    "unique_consecutive": lambda self, return_inverse=False, return_counts=False, dim=None: requested(
        distinct(self, dim, True), return_inverse, return_counts
    ),
    "distinct": distinct,
}
