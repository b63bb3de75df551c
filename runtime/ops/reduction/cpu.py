"""Sums, products, means, variances, norms and logsumexp of NumPy arrays.

`dim` is a sorted tuple of dimensions, or one, never negative. Floats are reduced by plans (plans.py) as they lie, or
copied where there is none for that; for the rest ufunc.reduce is called directly, because the wrappers np.sum, np.prod,
... cost more than a small reduction.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.operand_copies import run_packed
from ...kernels.cpu.plan import Array, Layout, Plan, run, run_if_planned
from ...kernels.cpu.reduce_layout import Dims, folding
from . import plans

_ROWS = 256  # rows that are added one after the other before their sums are added up
_add: Any = np.add.reduce  # NumPy's stubs want a literal keepdims
_multiply: Any = np.multiply.reduce
_max_reduce: Any = np.maximum.reduce
_min_reduce: Any = np.minimum.reduce
quiet = np.errstate(all="ignore")  # decorator: inf and nan are results here, not news


def sum_all(a: Array) -> Array:
    if a.dtype.kind != "f":
        return _sum_over(a, tuple(range(a.ndim)), False)
    return _in_own_layout(plans.sum_all, a)


def _in_own_layout(find: Callable[..., Plan | None], a: Array, *arguments: Any) -> Array:
    result = None if a.flags.c_contiguous else run_if_planned(find, a, *arguments)
    return (run(find, contiguous(a), *arguments) if result is None else result)[0]


def sum_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    return summed(a, dim, keepdim, 1)


def summed(a: Array, dim: Dims, keepdim: bool, divisor: float) -> Array:
    if a.dtype.kind != "f":
        return _sum_over(a, dim, keepdim) if divisor == 1 else _sum_over(a, dim, keepdim) / divisor
    if not a.size:
        return np.full(folding(a.shape, dim, keepdim).result, 0 if divisor else math.nan, a.dtype)
    return _in_own_layout(plans.summed, a, dim, keepdim, divisor)


@quiet
def _sum_over(a: Array, dim: Dims, keepdim: bool) -> Array:
    """The sum in any layout; a long dimension in chunks, for NumPy adds its elements in one chain."""
    if dim and a.dtype.kind == "c":
        longest = max(dim, key=a.shape.__getitem__)
        if a.shape[longest] > 2 * _ROWS and a.strides[longest] != a.itemsize:
            return _sum_in_chunks(a, dim, longest, keepdim)
    return _add(a, axis=dim, keepdims=keepdim)


def _sum_in_chunks(a: Array, dim: Dims, long: int, keepdim: bool) -> Array:
    count = a.shape[long] // _ROWS
    entire = (slice(None),) * long
    chunks = a[*entire, : count * _ROWS].reshape(*a.shape[:long], count, _ROWS, *a.shape[long + 1 :])
    sums = _add(chunks, axis=long + 1)
    rest = _add(a[*entire, count * _ROWS :], axis=dim, keepdims=keepdim)
    return sum_dim(sums, dim, keepdim) + rest


def sum_to_size(a: Array, size: Dims) -> Array:
    dims = plans.grown(size, a.shape)
    return sum_dim(a, dims, True).reshape(size) if dims else a.copy()


def filled(self: Array, size: Dims) -> Array:
    return np.full(size, self.item(), self.dtype)


def prod_all(a: Array) -> Array:
    return _product(a, tuple(range(a.ndim)), False)


def prod_dim(a: Array, dim: int, keepdim: bool) -> Array:
    return _product(a, (dim,) if a.ndim else (), keepdim)


@quiet
def _product(a: Array, dim: Dims, keepdim: bool) -> Array:
    if a.dtype.kind != "f" or not a.size:
        return _multiply(a, axis=dim, keepdims=keepdim)
    return _in_own_layout(plans.prod_dim, a, dim, keepdim)


@quiet
def prod_others(a: Array, dim: int) -> Array:
    """prod_{j != i} a_j along `dim`: the products of what comes before i times those of what comes after."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64 if a.dtype.kind == "f" else a.dtype
    rows = np.moveaxis(a.reshape(a.shape or 1), dim, 0).astype(wide, copy=False)
    result = np.ones_like(rows)
    result[1:] = np.multiply.accumulate(rows[:-1], axis=0)
    result[:-1] *= np.multiply.accumulate(rows[:0:-1], axis=0)[::-1]
    return np.moveaxis(result, 0, dim).reshape(a.shape).astype(a.dtype, copy=False)


def _count(a: Array, dim: Dims) -> int:
    return math.prod(a.shape[d] for d in dim)


def mean_all(a: Array) -> Array:
    return summed(a, tuple(range(a.ndim)), False, a.size) if a.size else mean_dim(a, tuple(range(a.ndim)), False)


def mean_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    count = _count(a, dim)
    return summed(a, dim, keepdim, count) if count else quiet(np.divide)(sum_dim(a, dim, keepdim), 0)


def _reduced(find: Callable[..., Plan | None], a: Array, dim: Dims, keepdim: bool, *arguments: Any) -> Array:
    """In any layout: dimensions `dim` are brought together where there is no plan for an array as it lies."""
    result = run_packed(find, a, dim, *arguments, keepdim)
    if result is not None:
        return result[0]
    fold = folding(a.shape, dim, keepdim)
    return run(find, fold.fold(a), 1, *arguments, False)[0].reshape(fold.result)


def _norm_along(x: Layout, dim: Dims | int, p: float, keepdim: bool) -> Plan | None:
    return plans.norm(x, p, dim, keepdim)


@quiet
def norm(a: Array, p: float, dim: Dims, keepdim: bool) -> Array:
    if a.dtype.kind == "f" and a.size:
        return _reduced(_norm_along, a, dim, keepdim, p)
    sizes = np.abs(a)
    if a.size:
        return norm(sizes, p, dim, keepdim)
    if math.isinf(p):
        return (_max_reduce if p > 0 else _min_reduce)(sizes, axis=dim, keepdims=keepdim)
    return sum_dim(sizes, dim, keepdim) ** (1 / (p or 1))
