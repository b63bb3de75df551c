"""Sums, products and moments of NumPy arrays; `dim` is a sorted tuple of dimensions, or one, never negative.

ufunc.reduce is called directly because the wrappers np.sum, np.max, ... cost more than a small reduction.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import jit

Array = np.ndarray
Dims = tuple[int, ...]

BLOCK = 1024  # elements summed in vector lanes before block sums are added pairwise
ROWS = 256  # the same for rows, which NumPy adds one after the other
_add: Any = np.add.reduce  # NumPy's stubs want a literal keepdims
_multiply: Any = np.multiply.reduce
_greatest: Any = np.maximum.reduce
_least: Any = np.minimum.reduce
quiet = np.errstate(all="ignore")  # decorator: inf and nan are results here, not news


@jit(fastmath={"reassoc", "nsz"})
def _block_sums(values: Array, sums: Array) -> None:
    """sums[k] = the sum of the k-th block of 1024; `reassoc` allows vector lanes."""
    for k in range(sums.size):
        block = values[k * 1024 : (k + 1) * 1024]
        total = block[0]
        for i in range(1, block.size):
            total += block[i]
        sums[k] = total


def sum_all(a: Array) -> Array:
    """sum_i a_i."""
    size = a.size
    if size and a.dtype.kind in "fc" and a.flags.c_contiguous:
        sums = np.empty((size + 1023) >> 10, a.dtype)
        _block_sums(a.reshape(size), sums)
        return sums.reshape(()) if size <= BLOCK else _add(sums)
    return sum_dim(a, tuple(range(a.ndim)), False)


@quiet
def sum_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """sum_i a_i over `dim`."""
    if dim and a.dtype.kind in "fc":
        longest = max(dim, key=a.shape.__getitem__)
        if a.shape[longest] > 2 * ROWS and a.strides[longest] != a.itemsize:
            return _sum_rows(a, dim, longest, keepdim)
    return _add(a, axis=dim, keepdims=keepdim)


def _sum_rows(a: Array, dim: Dims, rows: int, keepdim: bool) -> Array:
    """The sum when dimension `rows` is long: rows in blocks first, for NumPy adds them in one chain."""
    count = a.shape[rows] // ROWS
    whole = (slice(None),) * rows
    blocks = a[*whole, : count * ROWS].reshape(*a.shape[:rows], count, ROWS, *a.shape[rows + 1 :])
    sums = _add(blocks, axis=rows + 1)
    rest = _add(a[*whole, count * ROWS :], axis=dim, keepdims=keepdim)
    return sum_dim(sums, dim, keepdim) + rest


@quiet
def mean_all(a: Array) -> Array:
    """(1/n) sum_i a_i; nan of no elements."""
    return sum_all(a) / a.dtype.type(a.size)


@quiet
def mean_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """(1/n) sum_i a_i over `dim`."""
    return sum_dim(a, dim, keepdim) / a.dtype.type(_count(a, dim))


def _count(a: Array, dim: Dims) -> int:
    return math.prod(a.shape[d] for d in dim)


@quiet
def var_dim(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
    """sum_i |a_i - mean|^2 / max(n - correction, 0), in two passes."""
    away = a - mean_dim(a, dim, True)
    squares = away * away if a.dtype.kind == "f" else away.real**2 + away.imag**2
    return sum_dim(squares, dim, keepdim) / squares.dtype.type(max(_count(a, dim) - correction, 0))


@quiet
def std_dim(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
    """sqrt(var)."""
    return np.sqrt(var_dim(a, dim, correction, keepdim))


@quiet
def prod_all(a: Array) -> Array:
    """prod_i a_i."""
    return _multiply(a, axis=None)


@quiet
def prod_dim(a: Array, dim: int, keepdim: bool) -> Array:
    """prod_i a_i over `dim`."""
    return _multiply(a.reshape(a.shape or 1), axis=dim, keepdims=keepdim and a.ndim > 0)


@quiet
def prod_others(a: Array, dim: int) -> Array:
    """prod_{j != i} a_j along `dim`: the products of what comes before i times those of what comes after."""
    rows = np.moveaxis(a.reshape(a.shape or 1), dim, 0)
    result = np.ones_like(rows)
    result[1:] = np.multiply.accumulate(rows[:-1], axis=0)
    result[:-1] *= np.multiply.accumulate(rows[:0:-1], axis=0)[::-1]
    return np.moveaxis(result, 0, dim).reshape(a.shape)


@quiet
def cumsum(a: Array, dim: int) -> Array:
    """y_i = sum_{j <= i} a_j along `dim`."""
    return np.add.accumulate(a.reshape(a.shape or 1), axis=dim).reshape(a.shape)


def sum_to_size(a: Array, size: Dims) -> Array:
    """The sum over the dimensions that `size` lacks or has as 1."""
    new = a.ndim - len(size)
    grown = tuple(d for d in range(a.ndim) if d < new or (size[d - new] == 1 and a.shape[d] != 1))
    return sum_dim(a, grown, True).reshape(size) if grown else a.copy()


@quiet
def norm(a: Array, p: float, dim: Dims, keepdim: bool) -> Array:
    """(sum_i |a_i|^p)^(1/p) over `dim`."""
    sizes = np.abs(a)
    if math.isinf(p):
        return (_greatest if p > 0 else _least)(sizes, axis=dim, keepdims=keepdim)
    if p == 0:
        return _add(sizes != 0, axis=dim, keepdims=keepdim, dtype=sizes.dtype)
    if p == 1:
        return sum_dim(sizes, dim, keepdim)
    if p == 2:
        return np.sqrt(sum_dim(sizes * sizes, dim, keepdim))
    return sum_dim(sizes**p, dim, keepdim) ** (1 / p)


@quiet
def logsumexp(a: Array, dim: Dims, keepdim: bool) -> Array:
    """m + log sum_i exp(a_i - m) over `dim`, m being the greatest (real part of an) element."""
    top = _greatest(a.real, axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    result = np.log(sum_dim(np.exp(a - top), dim, True)) + top
    return result if keepdim else result.reshape([n for d, n in enumerate(a.shape) if d not in dim])


def filled(self: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """An array of `size` full of the one element of `self`."""
    result = np.empty(size, self.dtype)
    result.fill(self)
    return result
