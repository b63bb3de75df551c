"""Sums and products of NumPy arrays; `dim` is a sorted tuple of dimensions, or one, never negative.

Contiguous floats are added by our own loops; for the rest ufunc.reduce is called directly, because the wrappers np.sum,
np.prod, ... cost more than a small reduction.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.cpu import sums as adding
from ...kernels.cpu.folding import folding
from ...pool.parallel_for import shared
from . import cpu_prod as products
from . import cpu_reduce_loops as reducing

Array = np.ndarray
Dims = tuple[int, ...]

CHUNK = 256  # rows that are added one after the other before their sums are added up
_add: Any = np.add.reduce  # NumPy's stubs want a literal keepdims
_multiply: Any = np.multiply.reduce
quiet = np.errstate(all="ignore")  # decorator: inf and nan are results here, not news


def sum_all(a: Array) -> Array:
    """sum_i a_i, in the order of memory."""
    if a.dtype.kind != "f":
        return _sum_over(a, tuple(range(a.ndim)), False)
    out = np.empty((), a.dtype)
    out[...] = _long_sum(a.ravel("K"))
    return out


def _long_sum(row: Array) -> float:
    """sum_i x_i, as `adding.plain_sum` finds it."""
    if row.size <= adding.CHUNK:
        return float(adding.chunk_sum(row))
    sums = np.empty(-(-row.size // adding.CHUNK))
    shared(adding.chunk_sums, (row, sums), row.size, row.size, adding.CHUNK)
    return float(adding.sum_of_chunks(sums))


def over_outputs(loop: Callable[..., None], folded: Dims, *arguments: Any) -> None:
    """Runs a loop for each element of a reduction's result, whose operand is seen as `folded`."""
    before, along, after = folded
    shared(loop, arguments, before * after, before * along * after, reducing.unit_of(along, after))


def sum_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """sum_i a_i over `dim`."""
    return summed(a, dim, keepdim, 1)


def summed(a: Array, dim: Dims, keepdim: bool, divisor: float) -> Array:
    """sum_i a_i / divisor over `dim`."""
    if a.dtype.kind != "f":
        return _sum_over(a, dim, keepdim) if divisor == 1 else _sum_over(a, dim, keepdim) / divisor
    plan = folding(a.shape, dim, keepdim)
    if not a.flags.c_contiguous:
        return _sum_rearranged(a, dim, plan.result, divisor)
    if a.size and not plan.order:
        out = np.empty(plan.count, a.dtype)
        if plan.count == 1:
            out[0] = _long_sum(a.reshape(-1)) / divisor
        else:
            over_outputs(reducing.sums, plan.folded, a.reshape(plan.folded), float(divisor), out)
        return out.reshape(plan.result)
    if plan.order:  # one group of neighbouring dimensions at a time
        last = next(k for k in range(len(dim) - 1, -1, -1) if k == 0 or dim[k] - dim[k - 1] > 1)
        return summed(summed(a, dim[last:], True, 1), dim[:last], True, divisor).reshape(plan.result)
    return np.full(plan.result, 0 if divisor else math.nan, a.dtype)


def _sum_rearranged(a: Array, dim: Dims, result: Dims, divisor: float) -> Array:
    """The sum in the order of memory where the dimensions only need to change places; else as NumPy finds it."""
    order = sorted(range(a.ndim), key=a.strides.__getitem__, reverse=True)
    moved = a.transpose(order)
    if moved.flags.c_contiguous and a.size:
        found = summed(moved, tuple(sorted(order.index(d) for d in dim)), True, divisor)
        return found.transpose(np.argsort(order)).reshape(result)
    found = _sum_over(a, dim, False).reshape(result)
    return found if divisor == 1 else quiet(np.divide)(found, a.dtype.type(divisor))


@quiet
def _sum_over(a: Array, dim: Dims, keepdim: bool) -> Array:
    """The sum in any layout; a long dimension in chunks, for NumPy adds its elements in one chain."""
    if dim and a.dtype.kind in "fc":
        longest = max(dim, key=a.shape.__getitem__)
        if a.shape[longest] > 2 * CHUNK and a.strides[longest] != a.itemsize:
            return _sum_in_chunks(a, dim, longest, keepdim)
    return _add(a, axis=dim, keepdims=keepdim)


def _sum_in_chunks(a: Array, dim: Dims, long: int, keepdim: bool) -> Array:
    """Sums of CHUNK rows of dimension `long` first, then the sum of these and of the rows left over."""
    count = a.shape[long] // CHUNK
    whole = (slice(None),) * long
    chunks = a[*whole, : count * CHUNK].reshape(*a.shape[:long], count, CHUNK, *a.shape[long + 1 :])
    sums = _add(chunks, axis=long + 1)
    rest = _add(a[*whole, count * CHUNK :], axis=dim, keepdims=keepdim)
    return sum_dim(sums, dim, keepdim) + rest


def sum_to_size(a: Array, size: Dims) -> Array:
    """The sum over the dimensions that `size` lacks or has as 1."""
    dims = grown(size, a.shape)
    return sum_dim(a, dims, True).reshape(size) if dims else a.copy()


@functools.lru_cache(maxsize=4096)
def grown(size: Dims, to: Dims) -> Dims:
    """The dimensions of `to` that `size` lacks or has as 1."""
    new = len(to) - len(size)
    return tuple(d for d in range(len(to)) if d < new or (size[d - new] == 1 and to[d] != 1))


def filled(self: Array, size: Dims) -> Array:
    """An array of `size` full of the one element of `self`."""
    result = np.empty(size, self.dtype)
    result.fill(self.item())
    return result


def prod_all(a: Array) -> Array:
    """prod_i a_i."""
    return _product(a, tuple(range(a.ndim)), False)


def prod_dim(a: Array, dim: int, keepdim: bool) -> Array:
    """prod_i a_i over `dim`."""
    return _product(a, (dim,) if a.ndim else (), keepdim)


@quiet
def _product(a: Array, dim: Dims, keepdim: bool) -> Array:
    if a.dtype.kind != "f" or not a.flags.c_contiguous:
        return _multiply(a, axis=dim, keepdims=keepdim)
    plan = folding(a.shape, dim, keepdim)
    out = np.ones(plan.result, a.dtype)
    products.products(a.reshape(plan.folded), out.reshape(-1))
    return out


@quiet
def prod_others(a: Array, dim: int) -> Array:
    """prod_{j != i} a_j along `dim`: the products of what comes before i times those of what comes after."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64 if a.dtype.kind == "f" else a.dtype
    rows = np.moveaxis(a.reshape(a.shape or 1), dim, 0).astype(wide, copy=False)
    result = np.ones_like(rows)
    result[1:] = np.multiply.accumulate(rows[:-1], axis=0)
    result[:-1] *= np.multiply.accumulate(rows[:0:-1], axis=0)[::-1]
    return np.moveaxis(result, 0, dim).reshape(a.shape).astype(a.dtype, copy=False)
