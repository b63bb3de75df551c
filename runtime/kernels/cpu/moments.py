"""Means, variances, norms and logsumexp of NumPy arrays; `dim` is a sorted tuple of dimensions, never negative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import loops
from .reductions import as_rows, quiet, reduced_shape, sum_all, sum_dim

Array = np.ndarray
Dims = tuple[int, ...]

_greatest: Any = np.maximum.reduce  # NumPy's stubs want a literal keepdims
_least: Any = np.minimum.reduce


def _count(a: Array, dim: Dims) -> int:
    return math.prod(a.shape[d] for d in dim)


def mean_all(a: Array) -> Array:
    """(1/n) sum_i a_i; nan of no elements."""
    return _divided(sum_all(a), a.size)


def mean_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """(1/n) sum_i a_i over `dim`; nan of no elements."""
    return _divided(sum_dim(a, dim, keepdim), _count(a, dim))


def _divided(total: Array, count: int) -> Array:
    return total / count if count else quiet(np.divide)(total, 0)


def _square_sum(a: Array, centers: Array | None, dim: Dims, keepdim: bool) -> Array:
    """sum_i |a_i - center|^2 over `dim`; `centers` keep the reduced dimensions as 1, and are 0 when absent."""
    rows = as_rows(a, dim)
    if rows is None:
        away = a if centers is None else a - centers
        squares = away * away if a.dtype.kind == "f" else away.real**2 + away.imag**2
        return sum_dim(squares, dim, keepdim)
    flat = np.zeros(len(rows), a.dtype) if centers is None else centers.reshape(-1)
    out = np.zeros(len(rows), a.real.dtype)
    loops.row_square_sums(rows, flat, out)
    return out.reshape(reduced_shape(a.shape, dim, keepdim))


@quiet
def var_dim(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
    """sum_i |a_i - mean|^2 / max(n - correction, 0), in two passes."""
    squares = _square_sum(a, mean_dim(a, dim, True), dim, keepdim)
    return squares / squares.dtype.type(max(_count(a, dim) - correction, 0))


@quiet
def std_dim(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
    """sqrt(var)."""
    return np.sqrt(var_dim(a, dim, correction, keepdim))


@quiet
def norm(a: Array, p: float, dim: Dims, keepdim: bool) -> Array:
    """(sum_i |a_i|^p)^(1/p) over `dim`."""
    if p == 2:
        return np.sqrt(_square_sum(a, None, dim, keepdim))
    sizes = np.abs(a)
    if math.isinf(p):
        return (_greatest if p > 0 else _least)(sizes, axis=dim, keepdims=keepdim)
    if p == 0:
        return sum_dim((sizes != 0).astype(sizes.dtype), dim, keepdim)
    powers = sizes if p == 1 else sizes**p
    total = sum_dim(powers, dim, keepdim)
    return total if p == 1 else total ** (1 / p)


@quiet
def logsumexp(a: Array, dim: Dims, keepdim: bool) -> Array:
    """m + log sum_i exp(a_i - m) over `dim`, m being the greatest (real part of an) element."""
    top = _greatest(a.real, axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    result = np.log(sum_dim(np.exp(a - top), dim, True)) + top
    return result.reshape(reduced_shape(a.shape, dim, keepdim))
