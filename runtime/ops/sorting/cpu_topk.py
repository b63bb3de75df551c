"""The few greatest, or least, elements of long rows, without sorting the rows."""

from __future__ import annotations

import numpy as np

from ...pool.parallel_for import shared
from .cpu_topk_loops import BLOCK, block_tops, collect_topk, topk_small_k

Array = np.ndarray

TOPK_THRESHOLD = 64  # so many greatest elements are found in one pass over a row
LONG = 16384  # elements of a row whose blocks are worth looking at


def is_small_k(k: int, length: int) -> bool:
    """Whether k of the elements of a row are so few that it need not be sorted."""
    return k <= TOPK_THRESHOLD or is_single_pass(k, length)


def is_single_pass(k: int, length: int) -> bool:
    return length >= LONG and 4 * k * BLOCK <= length


def topk_small(codes: Array, floating: bool, inverted: bool, k: int) -> Array:
    """The indices of the k greatest keys of each row, the greatest first, of equal ones the first first."""
    indices = np.empty((len(codes), k), np.int64)
    if k and is_single_pass(k, codes.shape[1]):
        for row, result in zip(codes, indices, strict=True):
            result[:] = of_long_row(row, floating, inverted, k)
    else:
        like = np.float32(0) if codes.itemsize == 4 else 0.0
        shared(topk_small_k, (codes, like, floating, inverted, indices), len(codes), codes.size)
    return indices


def of_long_row(codes: Array, floating: bool, inverted: bool, k: int) -> Array:
    """The indices of the k greatest keys of a row.

    k blocks have an element that is at least as great as the k-th greatest of their greatest ones; so what is less is
    not among the k greatest, and what is greater lies in less than k blocks.
    """
    tops = np.empty(-(-codes.size // BLOCK), codes.dtype)
    shared(block_tops, (codes, floating, inverted, tops), tops.size, codes.size)
    threshold_key = int(np.partition(tops, tops.size - k)[tops.size - k])
    buffer = int((tops > threshold_key).sum()) * BLOCK + k
    keys, indices = np.empty(buffer, codes.dtype), np.empty(buffer, np.int64)
    result = collect_topk(codes, floating, inverted, tops, threshold_key, k, keys, indices)
    return indices[:result][np.argsort(~keys[:result], kind="stable")[:k]]
