"""Reductions that choose or test elements: extrema and their indices, any and all. nan is extreme and true.

Their results do not depend on the order of elements, so threads share the large ones slice by slice.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...device.threads.parallel_for import is_long
from ...device.threads.workers import in_parts
from ...kernels.cpu.operand_copies import run_packed
from ...kernels.cpu.plan import Array, run
from ...kernels.cpu.reduce_layout import Dims, folding
from . import plans
from . import plans_minmax as choices

_max_reduce: Any = np.maximum.reduce  # NumPy's stubs want a literal keepdims
_min_reduce: Any = np.minimum.reduce
_some: Any = np.logical_or.reduce
_every: Any = np.logical_and.reduce
UNIT = 64  # elements of a dimension that one thread has, at least


def amax(a: Array, dim: Dims, keepdim: bool) -> Array:
    result = run_packed(plans.amax, a, dim, keepdim) if _are_floats(a) else None
    return reduced(_max_reduce, a, dim, keepdim) if result is None else result[0]


def amin(a: Array, dim: Dims, keepdim: bool) -> Array:
    result = run_packed(plans.amin, a, dim, keepdim) if _are_floats(a) else None
    return reduced(_min_reduce, a, dim, keepdim) if result is None else result[0]


def max_all(a: Array) -> Array:
    result = run_packed(plans.max_all, a) if _are_floats(a) else None
    return reduced_to_one(_max_reduce, a) if result is None else result[0]


def min_all(a: Array) -> Array:
    result = run_packed(plans.min_all, a) if _are_floats(a) else None
    return reduced_to_one(_min_reduce, a) if result is None else result[0]


def max_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    return _minmax(a, dim, keepdim, True)


def min_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    return _minmax(a, dim, keepdim, False)


def _are_floats(a: Array) -> bool:
    return a.dtype in (np.float32, np.float64) and a.size > 0


def _minmax(a: Array, dim: int, keepdim: bool, takes_max: bool) -> tuple[Array, Array]:
    fold = folding(a.shape, dim, keepdim)
    if a.dtype.kind == "f" and a.size > 0:
        values, indices = run(choices.max_dim if takes_max else choices.min_dim, fold.fold(a), 1, False)
        return values.reshape(fold.result), indices.reshape(fold.result)
    a = a.reshape(a.shape or 1)
    indices = reduced(np.argmax if takes_max else np.argmin, a, dim, True)
    return np.take_along_axis(a, indices, dim).reshape(fold.result), indices.reshape(fold.result)


def argmax(a: Array, dim: int | None, keepdim: bool) -> Array:
    return _index(np.argmax, a, dim, keepdim, True)


def argmin(a: Array, dim: int | None, keepdim: bool) -> Array:
    return _index(np.argmin, a, dim, keepdim, False)


def _index(find: Any, a: Array, dim: int | None, keepdim: bool, takes_max: bool) -> Array:
    if a.dtype.kind == "f" and a.size > 0:
        if dim is not None and a.ndim:
            return _minmax(a, dim, keepdim, takes_max)[1]
        return _minmax(a.reshape(-1), 0, False, takes_max)[1].reshape((1,) * a.ndim if keepdim else ())
    return find(a, axis=None, keepdims=keepdim) if dim is None or not a.ndim else reduced(find, a, dim, keepdim)


def any_all(a: Array) -> Array:
    return reduced_to_one(_some, a)


def any_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    return reduced(_some, a, dim, keepdim)


def all_all(a: Array) -> Array:
    return reduced_to_one(_every, a)


def all_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    return reduced(_every, a, dim, keepdim)


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
    if not is_long(a.size) or not a.flags.c_contiguous:
        return reduce(a, axis=None)
    line = a.reshape(-1)
    pieces = _pieces(line.size, lambda i, j: reduce(line[i:j], keepdims=True))
    return reduce(np.concatenate(pieces), axis=None)


def _pieces(count: int, piece: Callable[[int, int], Array]) -> list[Array]:
    """The results of piece(first, last) for ranges that together cover range(count), in order."""
    results: dict[int, Array] = {}
    in_parts(count, UNIT, lambda i, j: results.__setitem__(i, piece(i, j)))
    return [results[first] for first in sorted(results)]
