"""The windows of a pooling over the last one to three dimensions, as numbers for its loops."""

from __future__ import annotations

import functools
from math import prod
from typing import NamedTuple

import numpy as np

from ..windows import pool_size

Ints = tuple[int, ...]


class Windows(NamedTuple):
    """Sizes of three dimensions each; those that are not pooled over are 1."""

    sizes: Ints  # of the input
    counts: Ints  # of windows
    kernel: Ints
    stride: Ints
    padding: Ints
    dilation: Ints


@functools.lru_cache(maxsize=1024)
def windows_of(
    shape: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> tuple[Ints, np.ndarray]:
    """The shape of the output, and a row of three numbers for each field of `Windows`."""
    dims = len(kernel)
    sizes = shape[-dims:]
    along = zip(sizes, kernel, stride, padding, dilation, strict=True)
    counts = tuple(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)
    fields = ((sizes, 1), (counts, 1), (kernel, 1), (stride, 1), (padding, 0), (dilation, 1))
    table = np.array([(fill,) * (3 - dims) + values for values, fill in fields], np.int64)
    return (*shape[:-dims], *counts), table


def planes(array: np.ndarray, dims: int) -> np.ndarray:
    """(planes, three sizes): what is pooled over, in one block of memory."""
    shape = array.shape
    ones = (1,) * (3 - dims)
    return array.reshape(prod(shape[:-dims]), *ones, *shape[-dims:])
