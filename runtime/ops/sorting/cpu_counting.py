"""Counts of numbers: in bins, by value, in runs; positions of values in ordered rows, and membership."""

import math

import numpy as np

from ...device.threads.parallel_for import get_num_threads, is_shared, shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, run, run_if_planned
from . import plans
from .cpu_counting_loops import TABLES, count_into, even_counts, rank_of

COUNTED = 1  # elements of a sum that one counts as whose number is counted
MAX_TABLES = 16
SHORT = 1 << 13  # numbers of a line that NumPy counts sooner
MIN_TABLE_BINS = 1 << 10  # numbers for which there are places in any case
FLOATS = np.float32, np.float64
DENSE = 4  # times as many places as there are numbers may be needed for those between the least and the greatest


def bin_counts(a: Array, minlength: int) -> Array:
    line = np.ascontiguousarray(a, np.int64)
    if line.size <= SHORT:
        require_none_negative(int(line.min(initial=0)))
        return np.bincount(line, minlength=minlength)
    expected = max(minlength, MIN_TABLE_BINS)  # most often there are no greater ones: nobody looks for them before
    counts = counts_from(line, 0, expected) if expected <= line.size else None
    if counts is not None:
        used = np.flatnonzero(counts[minlength:])
        return counts[: minlength + (int(used[-1]) + 1 if used.size else 0)].copy()
    require_none_negative(int(line.min(initial=0)))
    size = max(int(line.max(initial=-1)) + 1, minlength)
    counts = counts_from(line, 0, size) if size <= line.size else None
    return np.bincount(line, minlength=size) if counts is None else counts[:size].copy()


def require_none_negative(lowest: int) -> None:
    if lowest < 0:
        raise RuntimeError(f"bincount(): expected a 1-D tensor of integers that are not negative, but got {lowest}")


def counts_from(line: Array, low: int, size: int) -> Array | None:
    """How often each of low, low + 1, ..., at least `size` of them, occurs in a line of int64; None if others do."""
    return_index = index_buffer_size(size)
    parts = min(get_num_threads(), MAX_TABLES) if is_shared(COUNTED * line.size) else 1
    tables, bits = np.zeros((parts, TABLES, return_index), np.int64), np.zeros(parts, np.uint64)
    shared(count_into, (line, low, tables, bits), parts, COUNTED * line.size)
    return tables.sum((0, 1)) if (bits < return_index).all() else None


def index_buffer_size(size: int) -> int:
    return 1 << (size - 1).bit_length()


def histc(a: Array, bins: int, min: float, max: float) -> Array:
    line, counts = contiguous(a).reshape(-1), np.empty(bins, a.dtype)
    try:
        even_counts(line, counts, float(min), float(max))
    except IndexError:
        require_finite(line.min(), line.max())
    return counts


def require_finite(low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"histc(): expected a finite range, but got [{low}, {high}]")


def counts_between(self: Array, edges: Array, weight: Array | None) -> Array:
    """The number of elements, or the sum of their weights, between neighbouring edges; the last bin includes both."""
    inside = (self >= edges[0]) & (self <= edges[-1])
    parts = len(edges) - 1
    return_index = np.minimum(np.searchsorted(edges, self[inside], "right") - 1, parts - 1)
    return np.bincount(return_index, None if weight is None else weight[inside], parts).astype(self.dtype)


def distinct(a: Array, dim: int | None, runs: bool, return_index: bool) -> tuple[Array, Array, Array]:
    """Distinct elements or slices in order, or of runs; which each is, and counts: both empty if not return_index."""
    if dim is not None and a.dtype in FLOATS:
        result = run_if_planned(plans.distinct, contiguous(a), dim, runs, return_index)
        if result is not None:
            return result[0], result[1], result[2]
    if runs:
        return _runs(a, dim)
    if dim is None and a.dtype.kind == "i" and a.size:
        low, high = int(a.min()), int(a.max())
        if index_buffer_size(high - low + 1) <= DENSE * a.size:
            return _distinct_between(a, low, high - low + 1, return_index)
    if dim is None and 0 < a.size <= plans.MAX_SERIAL_COUNTED and a.dtype in FLOATS:
        values, inverse, counts, *_ = run(plans.distinct, contiguous(a), None, False, return_index)
        return values, inverse, counts
    if not return_index and dim is None:
        return np.unique(a, equal_nan=False), *(np.empty(0, np.int64),) * 2
    values, inverse, counts = np.unique(a, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    return values, inverse.reshape(a.shape if dim is None else -1), counts


def _distinct_between(a: Array, low: int, size: int, return_index: bool) -> tuple[Array, Array, Array]:
    line = np.ascontiguousarray(a, np.int64).reshape(-1)
    counts = counts_from(line, low, size)
    assert counts is not None, "low and size were found in the line"
    result = np.flatnonzero(counts)
    if not return_index:
        return (result + low).astype(a.dtype), *(np.empty(0, np.int64),) * 2
    ranks, inverse = np.cumsum(counts > 0) - 1, np.empty(line.size, np.int64)
    shared(rank_of, (line, low, ranks, inverse), line.size, COUNTED * line.size)
    return (result + low).astype(a.dtype), inverse.reshape(a.shape), counts[result]


def _runs(a: Array, dim: int | None) -> tuple[Array, Array, Array]:
    if dim is None and a.size and a.dtype in (*FLOATS, np.int64, np.bool_):
        values, inverse, counts, _ = run(plans.in_runs, contiguous(a), None)
        return values, inverse, counts
    line, axis = (a.reshape(-1), 0) if dim is None else (a, dim)
    rows = np.moveaxis(line, axis, 0)
    rows = rows.reshape(len(rows), rows.size // max(len(rows), 1))
    begins = np.ones(len(rows), bool)
    begins[1:] = (rows[1:] != rows[:-1]).any(1)
    starts = np.flatnonzero(begins)
    counts = np.diff(np.append(starts, len(rows)))
    return line.take(starts, axis), (np.cumsum(begins) - 1).reshape(a.shape if dim is None else -1), counts


def searchsorted_indices(sorted_sequence: Array, self: Array, right: bool, sorter: Array | None) -> Array:
    wide = np.float64 if self.dtype.kind == "f" else np.uint64 if self.dtype == np.uint64 else np.int64
    result_dims = np.float32 if self.dtype == sorted_sequence.dtype == np.float32 else wide
    rows = sorted_sequence if sorter is None else np.take_along_axis(sorted_sequence, sorter, -1)
    if not self.size:
        return np.empty(self.shape, np.int64)
    arrays = [contiguous(a.astype(result_dims, copy=False)) for a in (rows, self)]
    return run(plans.searchsorted_indices, *arrays, right, None)[0]


def is_among(elements: Array, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    """Whether each element equals one of `test_elements`; nan equals nothing. What is unique anyway is no matter."""
    return np.isin(elements, test_elements, invert=invert)
