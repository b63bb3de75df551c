"""Resampling along one dimension: a sparse matrix of filter weights by rows, or by columns for the transpose.

Bytes are resampled in whole numbers, as image libraries do it.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array
from .cpu_loops import LINES, resampled_lines, resampled_rows


class Rows(NamedTuple):
    """A sparse matrix: row i has weights[k] in column columns[k] for k from starts[i] to starts[i + 1]."""

    starts: Array
    columns: Array
    weights: Array


class Filter(NamedTuple):
    """A filter of samples at a distance, zero from `radius` on."""

    radius: int
    weigh: Callable[[Array], Array]


def resample(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    return _multiplied(a, dim, length, filter_rows(a.shape[dim], length, filter, align_corners, scale, antialias))


def resample_backward(
    grad: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    return _multiplied(
        grad, dim, length, transposed_rows(length, grad.shape[dim], filter, align_corners, scale, antialias)
    )


def _multiplied(a: Array, dim: int, length: int, rows: Rows) -> Array:
    out = np.empty((*a.shape[:dim], length, *a.shape[dim + 1 :]), a.dtype)
    source, to, weights = _folded(a, dim), _folded(out, dim), rows.weights.astype(a.dtype, copy=False)
    outer, _, inner = to.shape
    if inner == 1 and a.dtype.char in "fd":
        flat = source.ravel(), rows.starts, rows.columns, weights, to.ravel(), a.shape[dim], length
        shared(resampled_lines, flat, -(-outer // LINES), weights.size * outer)
    else:
        args = source.ravel(), rows.starts, rows.columns, weights, to.ravel(), a.shape[dim], length, inner
        shared(resampled_rows, args, outer * length, weights.size * outer * inner)
    return out


def _folded(a: Array, dim: int) -> Array:
    return contiguous(a).reshape(math.prod(a.shape[:dim]), a.shape[dim], math.prod(a.shape[dim + 1 :]))


@functools.lru_cache(maxsize=256)
def filter_rows(size: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool) -> Rows:
    step = _step(size, length, align_corners, scale)
    if filter.startswith("nearest"):
        return Rows(np.arange(length + 1), _nearest(size, length, filter, step), np.ones(length))
    taps = _antialiased(size, length, filter, step) if antialias else _taps(size, length, filter, step, align_corners)
    columns, weights = taps
    starts = np.arange(length + 1) * columns.shape[1]
    return Rows(starts, columns.ravel(), weights.ravel())


@functools.lru_cache(maxsize=256)
def transposed_rows(
    size: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Rows:
    by_rows = filter_rows(size, length, filter, align_corners, scale, antialias)
    rows = np.repeat(np.arange(length), np.diff(by_rows.starts))
    order = np.argsort(by_rows.columns, kind="stable")
    starts = np.searchsorted(by_rows.columns[order], np.arange(size + 1))
    return Rows(starts, rows[order], by_rows.weights[order])


def _step(size: int, length: int, align_corners: bool, scale: float | None) -> float:
    if align_corners:
        return (size - 1) / (length - 1) if length > 1 else 0.0
    return size / length if scale is None else 1 / scale


def _nearest(size: int, length: int, filter: str, step: float) -> Array:
    """Computed in float32, as PyTorch does it: other bits would sometimes choose the neighbour."""
    shift = np.float32(0.5 if filter == "nearest-exact" else 0)
    result = np.floor((np.arange(length, dtype=np.float32) + shift) * np.float32(step))
    return result.clip(0, size - 1).astype(np.int64)


def _taps(size: int, length: int, filter: str, step: float, align_corners: bool) -> tuple[Array, Array]:
    """For each element of the result its neighbours in the input, clamped to the border, and their weights."""
    centres = np.arange(length) * step if align_corners else (np.arange(length) + 0.5) * step - 0.5
    if filter == "linear":
        centres = centres.clip(0, None)
    filter_radius = FILTERS[filter].radius
    columns = np.floor(centres).astype(np.int64)[:, None] + np.arange(1 - filter_radius, filter_radius + 1)
    weights = CUBIC(centres[:, None] - columns) if filter == "cubic" else _triangle(centres[:, None] - columns)
    return columns.clip(0, size - 1), weights


def _antialiased(size: int, length: int, filter: str, step: float) -> tuple[Array, Array]:
    """For each element of the result the input elements that it covers, and their weights, whose sum is 1."""
    wide = max(step, 1.0)
    centres = (np.arange(length) + 0.5) * step
    radius = FILTERS[filter].radius * wide
    first = np.trunc(centres - radius + 0.5).astype(np.int64).clip(0, None)
    end = np.trunc(centres + radius + 0.5).astype(np.int64).clip(None, size)
    columns = first[:, None] + np.arange(max(int((end - first).max()), 1))
    distances = (columns - centres[:, None] + 0.5) / wide
    weights = np.where(columns < end[:, None], FILTERS[filter].weigh(distances), 0.0)
    total = weights.sum(1, keepdims=True)
    return columns.clip(0, size - 1), weights / np.where(total == 0, 1, total)


def _triangle(x: Array) -> Array:
    return (1 - abs(x)).clip(0, None)


def _cubic(a: float) -> Callable[[Array], Array]:
    """Keys' cubic convolution filter, whose derivative at distance 1 is `a`."""

    def weigh(x: Array) -> Array:
        x = abs(x)
        inner_weight = ((a + 2) * x - (a + 3)) * x * x + 1
        outer_weight = (((x - 5) * x + 8) * x - 4) * a
        return np.where(x < 1, inner_weight, np.where(x < 2, outer_weight, 0.0))

    return weigh


def _lanczos(x: Array) -> Array:
    return np.where(abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0.0)


CUBIC = _cubic(-0.75)
FILTERS = {"linear": Filter(1, _triangle), "cubic": Filter(2, _cubic(-0.5)), "lanczos": Filter(3, _lanczos)}


LARGEST = 2**15 - 0.5  # that a weight may be before it is rounded to 16 bits
FRACTION_BITS = 22  # after the point: a sum of products with bytes stays within 32 bits


def resample_bytes(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    if dim and dim == a.ndim - 1:  # a transpose costs less than loops over single bytes
        transposed = resample_bytes(a.swapaxes(-1, -2), dim - 1, length, filter, align_corners, scale, antialias)
        return transposed.swapaxes(-1, -2)
    rows, bits = integer_rows(a.shape[dim], length, filter, align_corners, scale, antialias)
    out = np.empty((*a.shape[:dim], length, *a.shape[dim + 1 :]), np.uint8)
    if a.size:
        weighted_bytes(_folded(a.astype(np.uint8, copy=False), dim), *rows, bits, _folded(out, dim))
    return out


@jit
def weighted_bytes(a: Array, starts: Array, columns: Array, weights: Array, bits: int, out: Array) -> None:
    """out[o, i, j] = sum_k weights[k] a[o, columns[k], j] / 2^bits over the k of row i, rounded, and cut to a byte."""
    sums = np.empty(out.shape[2], np.int32)
    for o in range(out.shape[0]):
        for i in range(out.shape[1]):
            sums[:] = 1 << (bits - 1)
            for k in range(starts[i], starts[i + 1]):
                weight, source = weights[k], a[o, columns[k]]
                for j in range(sums.size):
                    sums[j] += weight * np.int32(source[j])
            row = out[o, i]
            for j in range(sums.size):
                row[j] = min(max(sums[j] >> bits, 0), 255)


@functools.lru_cache(maxsize=256)
def integer_rows(size: int, length: int, *kind: Any) -> tuple[Rows, int]:
    """The weights as multiples of 1 / 2^bits, with bits; those of one column are added up before they are rounded."""
    starts, columns, weights = filter_rows(size, length, *kind)
    rows = np.repeat(np.arange(length), np.diff(starts))
    entries, first = np.unique(rows * size + columns, return_index=True)
    added = np.add.reduceat(weights, first)
    bits = min(math.floor(math.log2(LARGEST / added.max())), FRACTION_BITS)
    integral = np.trunc(added * 2**bits + np.copysign(0.5, added))
    starts = np.searchsorted(entries, np.arange(length + 1) * size)
    return Rows(starts, entries % size, integral.astype(np.int32)), bits
