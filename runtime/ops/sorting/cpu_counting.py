"""Counts of numbers: in bins, by value, in runs."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def bin_counts(a: Array, minlength: int) -> Array:
    """The number of occurrences of each of 0, 1, 2, ..."""
    return np.bincount(a.astype(np.int64, copy=False), minlength=minlength)


def histc(a: Array, bins: int, min: float, max: float) -> Array:
    """The number of elements in each of `bins` equal parts of [min, max]."""
    inside = a[(a >= min) & (a <= max)]
    low, high = a.dtype.type(min), a.dtype.type(max)
    places = ((inside - low) * a.dtype.type(bins) / (high - low)).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins).astype(a.dtype)


def counts_between(self: Array, edges: Array, weight: Array | None) -> Array:
    """The number of elements, or the sum of their weights, between neighbouring edges; the last bin includes both."""
    inside = (self >= edges[0]) & (self <= edges[-1])
    parts = len(edges) - 1
    places = np.minimum(np.searchsorted(edges, self[inside], "right") - 1, parts - 1)
    return np.bincount(places, None if weight is None else weight[inside], parts).astype(self.dtype)


def distinct(a: Array, dim: int | None, runs: bool, places: bool) -> tuple[Array, Array, Array]:
    """The distinct elements, or slices along `dim`, in order or as they follow one another.

    Also the index of each element among them and how often each occurs; both empty where `places` is False.
    """
    if runs:
        return _runs(a, dim)
    if not places and dim is None:
        return np.unique(a, equal_nan=False), *(np.empty(0, np.int64),) * 2
    values, inverse, counts = np.unique(a, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    return values, inverse.reshape(a.shape if dim is None else -1), counts


def _runs(a: Array, dim: int | None) -> tuple[Array, Array, Array]:
    """Each run of equal elements, or of equal slices, as one."""
    line, axis = (a.reshape(-1), 0) if dim is None else (a, dim)
    rows = np.moveaxis(line, axis, 0)
    rows = rows.reshape(len(rows), rows.size // max(len(rows), 1))
    begins = np.ones(len(rows), bool)
    begins[1:] = (rows[1:] != rows[:-1]).any(1)
    starts = np.flatnonzero(begins)
    counts = np.diff(np.append(starts, len(rows)))
    return line.take(starts, axis), (np.cumsum(begins) - 1).reshape(a.shape if dim is None else -1), counts
