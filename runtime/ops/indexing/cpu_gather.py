"""Elements read, written, added and reduced at one index along a dimension each, and index values checked.

No memory outside the arrays is ever touched.
"""

import math
from typing import Any

import numpy as np

from ...device.threads.parallel_for import shared
from ...errors import DimensionError, ShapeError
from ...kernels.cpu import loops
from ...kernels.cpu.contiguous_copy import contiguous, copied
from ...kernels.cpu.index_select import put_along
from ...kernels.cpu.plan import Array, Ints, run_if_planned
from ...kernels.declarations import writes
from . import plans_scatter
from .cpu_index import require_inside
from .cpu_scatter_loops import find_outside

ELEMENTS = 1024  # that one thread reads, at least
UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def _folded(a: Array, dim: int) -> Array:
    shape = a.shape or (1,)
    folded = (math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :]))
    return contiguous(a).reshape(folded)


def _reached(a: Array, indices: Array, dim: int) -> Array:
    if all(n == m or d == dim for d, (n, m) in enumerate(zip(a.shape, indices.shape, strict=True))):
        return a
    return a[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(indices.shape))]


def gather(a: Array, dim: int, indices: Array, sparse_grad: bool) -> Array:
    """y_ij = a[places_ij, j] for dim 0, and so on."""
    part = _reached(a, indices, dim) if indices.ndim == a.ndim else a
    out = np.empty(indices.shape, a.dtype)
    folded, wrong = _folded(indices, dim), np.zeros(1, np.int64)
    before, count, after = folded.shape
    arguments = (_folded(part, dim), folded, _folded(out, dim), wrong)
    shared(loops.gather_along, arguments, before * count, out.size, -(-ELEMENTS // max(after, 1)))
    if wrong[0]:
        require_inside("gather", indices, dim, (a.shape or (1,))[dim])
    return out


def gather_backward(grad: Array, shape: Ints, dim: int, indices: Array) -> Array:
    return _put("gather", np.zeros(shape, grad.dtype), dim, indices, grad, True)


def scatter(a: Array, dim: int, indices: Array, src: Any) -> Array:
    return _put("scatter", copied(a), dim, indices, src, False)


def scatter_add(a: Array, dim: int, indices: Array, src: Array) -> Array:
    return _put("scatter_add", copied(a), dim, indices, src, True)


@writes("scatter")
def scatter_(out: Array, dim: int, indices: Array, src: Any) -> None:
    _put_inside("scatter", out, dim, indices, src, False)


@writes("scatter_add")
def scatter_add_(out: Array, dim: int, indices: Array, src: Array) -> None:
    _put_inside("scatter_add", out, dim, indices, src, True)


def _put_inside(op: str, out: Array, dim: int, indices: Array, src: Any, add: bool) -> None:
    """Writes, or adds, elements to an array of any layout, when all indices have been found to be inside."""
    line, size, outside = contiguous(indices).reshape(-1), (out.shape or (1,))[dim], np.zeros(1, np.int64)
    shared(find_outside, (line, size, outside), line.size, line.size)
    if outside[0]:
        require_inside(op, indices, dim, size)
    _put(op, out, dim, indices, src, add)


def _put(op: str, result: Array, dim: int, indices: Array, src: Any, add: bool) -> Array:
    """`result` itself, its reached part written, by way of a contiguous copy unless it is all of a contiguous array."""
    if not indices.size:
        return result
    at, entire = indices.reshape(indices.shape or 1), result.reshape(result.shape or 1)
    part = _reached(entire, at, dim)
    if isinstance(src, np.ndarray):
        values = _reached(src.astype(result.dtype, copy=False).reshape(src.shape or 1), at, -1)
    else:
        values = np.full(at.shape, src, result.dtype)
    table = _folded(part, dim)
    if not put_along(table, _folded(at, dim), _folded(values, dim), add):
        require_inside(op, at, dim, entire.shape[dim])
    if part is not entire or not entire.flags.c_contiguous:
        part[...] = table.reshape(part.shape)
    return result


def scatter_reduce(a: Array, dim: int, indices: Array, src: Array, reduce: str, include_self: bool) -> Array:
    entire, at, values = (array.reshape(array.shape or 1) for array in (a, indices, src))
    require_inside("scatter_reduce", at, dim, entire.shape[dim])
    find = {"f": plans_scatter.scatter_reduce, "c": None}.get(a.dtype.kind, plans_scatter.scatter_reduce_full)
    arguments = contiguous(entire), dim, at, values, reduce, include_self
    value = run_if_planned(find, *arguments) if find and a.dtype != np.uint64 else None
    result = value[0] if value else _reduced(entire, dim, at, values, reduce, include_self)
    return result.reshape(a.shape)


def _reduced(a: Array, dim: int, at: Array, src: Array, reduce: str, include_self: bool) -> Array:
    """The same as NumPy does it: of complex numbers, and of any layouts."""
    result = copied(a)
    if not at.size:
        return result
    flat, line = result.reshape(-1), _flat_indices(at, dim, result.shape)
    if not include_self:
        flat[line] = _neutral(reduce, result.dtype)
    UFUNCS[reduce].at(flat, line, src[tuple(slice(n) for n in at.shape)].ravel())
    if reduce == "mean":
        counts = np.bincount(line, minlength=flat.size)
        counts = np.maximum(counts + include_self * (counts > 0), 1)
        flat[...] = flat / counts if flat.dtype.kind in "fc" else flat // counts
    return result


def _flat_indices(at: Array, dim: int, shape: Ints) -> Array:
    key: list[Any] = list(np.indices(at.shape, sparse=True))
    key[dim] = at
    return np.ravel_multi_index(np.broadcast_arrays(*key), shape).ravel()


def _neutral(reduce: str, dtype: np.dtype) -> Any:
    if reduce in ("sum", "mean", "prod"):
        return reduce == "prod"
    lower_bound = reduce == "amax"
    if dtype.kind == "f":
        return -np.inf if lower_bound else np.inf
    if dtype.kind == "b":
        return not lower_bound
    return np.iinfo(dtype).min if lower_bound else np.iinfo(dtype).max


def checked_indices(index: Array, dim: int, size: int, op: str, wrap: bool) -> Array:
    require_inside(op, index, dim, size, DimensionError, lower_bound=-size if wrap else 0)
    return np.where(index < 0, index + size, index).astype(np.int64)


def order_of_true(mask: Array, available: int, lead: int) -> Array:
    """For each true element how many come before it in its example, 0 for the others."""
    lines = mask.reshape(math.prod(mask.shape[:lead]), math.prod(mask.shape[lead:]))
    order = lines.cumsum(1)
    total = order[:, -1:].max(initial=0)
    if total > available:
        raise ShapeError(
            f"masked_scatter(): Number of elements of source < number of ones in mask: {available} < {total}"
        )
    return np.where(lines, order - 1, 0).reshape(mask.shape)
