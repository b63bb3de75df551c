"""Resampling images of bytes along one dimension, in whole numbers as image libraries do it."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.jit import jit
from .cpu_resample import filter_rows

Array = np.ndarray

LARGEST = 2**15 - 0.5  # that a weight may be before it is rounded to 16 bits
MOST_BITS = 22  # after the point: a sum of products with bytes stays within 32 bits


class WholeRows(NamedTuple):
    """A sparse matrix like `resampling.Rows`, whose weights are multiples of 1 / 2^bits."""

    starts: Array
    places: Array
    weights: Array
    bits: int


def resample_bytes(
    a: Array, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Array:
    """a with `length` places along `dim`, rounded to bytes."""
    if dim and dim == a.ndim - 1:  # turning it costs less than loops over single bytes do
        turned = resample_bytes(a.swapaxes(-1, -2), dim - 1, length, filter, align_corners, scale, antialias)
        return turned.swapaxes(-1, -2)
    rows = _whole_rows(a.shape[dim], length, filter, align_corners, scale, antialias)
    out = np.empty((*a.shape[:dim], length, *a.shape[dim + 1 :]), np.uint8)
    before, after = math.prod(a.shape[:dim]), math.prod(a.shape[dim + 1 :])
    folded = contiguous(a.astype(np.uint8, copy=False)).reshape(before, a.shape[dim], after)
    if folded.size:
        weighted_bytes(folded, rows.starts, rows.places, rows.weights, rows.bits, out.reshape(before, length, after))
    return out


@jit
def weighted_bytes(a: Array, starts: Array, places: Array, weights: Array, bits: int, out: Array) -> None:
    """out[o, i, j] = sum_k weights[k] a[o, places[k], j] / 2^bits over the k of row i, rounded, and cut to a byte."""
    sums = np.empty(out.shape[2], np.int32)
    for o in range(out.shape[0]):
        for i in range(out.shape[1]):
            sums[:] = 1 << (bits - 1)
            for k in range(starts[i], starts[i + 1]):
                weight, source = weights[k], a[o, places[k]]
                for j in range(sums.size):
                    sums[j] += weight * np.int32(source[j])
            row = out[o, i]
            for j in range(sums.size):
                row[j] = min(max(sums[j] >> bits, 0), 255)


@functools.lru_cache(maxsize=256)
def _whole_rows(size: int, length: int, *kind: object) -> WholeRows:
    """The weights as whole numbers, of as many bits as the largest allows; those of one place are added up before."""
    starts, places, weights = filter_rows(size, length, *kind)
    rows = np.repeat(np.arange(length), np.diff(starts))
    entries, first = np.unique(rows * size + places, return_index=True)
    added = np.add.reduceat(weights, first)
    bits = min(math.floor(math.log2(LARGEST / added.max())), MOST_BITS)
    whole = np.trunc(added * 2**bits + np.copysign(0.5, added))
    starts = np.searchsorted(entries, np.arange(length + 1) * size)
    return WholeRows(starts, entries % size, whole.astype(np.int32), bits)
