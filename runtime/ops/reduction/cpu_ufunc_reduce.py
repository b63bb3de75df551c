"""Reductions by NumPy whose results do not depend on the order (extrema, any, all), shared by threads where large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...pool.parallel_for import is_long
from ...pool.workers import in_parts

Array = np.ndarray

UNIT = 64  # places of a dimension that one thread has, at least


def reduced(reduce: Any, a: Array, dim: int | tuple[int, ...], keepdim: bool) -> Array:
    """reduce(a, axis=dim, keepdims=keepdim), of slices across the dimension that stays and has the longest steps."""
    dims = (dim,) if isinstance(dim, int) else dim
    across = [d for d in range(a.ndim) if d not in dims and a.shape[d] > UNIT]
    if not across or not is_long(a.size):
        return reduce(a, axis=dim, keepdims=keepdim)
    long = max(across, key=lambda d: abs(a.strides[d]))
    before = (slice(None),) * long
    pieces = _pieces(a.shape[long], lambda i, j: reduce(a[*before, i:j], axis=dim, keepdims=True))
    result: Array = np.concatenate(pieces, axis=long)
    return result if keepdim else result.reshape([n for d, n in enumerate(a.shape) if d not in dims])


def reduced_to_one(reduce: Any, a: Array) -> Array:
    """reduce(a, axis=None) by a ufunc."""
    if not is_long(a.size) or not a.flags.c_contiguous:
        return reduce(a, axis=None)
    line = a.reshape(-1)
    pieces = _pieces(line.size, lambda i, j: reduce(line[i:j], keepdims=True))
    return reduce(np.concatenate(pieces), axis=None)


def _pieces(count: int, piece: Callable[[int, int], Array]) -> list[Array]:
    """piece(first, last) of ranges that cover range(count), in their order."""
    found: dict[int, Array] = {}
    in_parts(count, UNIT, lambda i, j: found.__setitem__(i, piece(i, j)))
    return [found[first] for first in sorted(found)]
