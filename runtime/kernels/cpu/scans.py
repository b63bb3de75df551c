"""What depends on all elements up to each one along a dimension: running extrema, products, logarithms of sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import jit
from .copies import contiguous

Array = np.ndarray

quiet = np.errstate(all="ignore")  # decorator: inf and nan are results here, not news


def cummax(a: Array, dim: int) -> tuple[Array, Array]:
    """The greatest element up to each, and where it last occurred."""
    return _running_extremes(a, dim, np.maximum)


def cummin(a: Array, dim: int) -> tuple[Array, Array]:
    """The least element up to each, and where it last occurred."""
    return _running_extremes(a, dim, np.minimum)


def _running_extremes(a: Array, dim: int, extreme: Any) -> tuple[Array, Array]:
    """nan is extreme: from the first one on all are nan, and each later one is a new place."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    values = extreme.accumulate(a, axis=dim)
    places = np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)])
    reached = (a == values) | (a != a)
    return values, np.maximum.accumulate(np.where(reached, places, 0), axis=dim)


@quiet
def cumprod(a: Array, dim: int) -> Array:
    """y_i = prod_{j <= i} a_j along `dim`."""
    return np.multiply.accumulate(a, axis=dim, dtype=a.dtype) if a.ndim else a.copy()


@quiet
def logcumsumexp(a: Array, dim: int) -> Array:
    """y_i = log sum_{j <= i} exp(a_j) along `dim`, without overflow."""
    if not a.ndim:
        return a.copy()
    if a.dtype.kind != "c":
        return np.logaddexp.accumulate(a, axis=dim)
    result = a.copy()
    rows = np.moveaxis(result, dim, 0)
    for before, row in zip(rows, rows[1:], strict=False):
        top = np.maximum(before.real, row.real)
        top = np.where(np.isinf(top), 0, top)
        row[...] = top + np.log(np.exp(before - top) + np.exp(row - top))
    return result


def linear_recurrence(self: Array, factor: Array, dim: int, reverse: bool) -> Array:
    """y_i = x_i + f_i y_(i-1) along `dim`, or y_(i+1) in reverse; the first has nothing before it."""
    out = np.empty(self.shape, self.dtype)
    if self.ndim:
        shape = (math.prod(self.shape[:dim]), self.shape[dim], math.prod(self.shape[dim + 1 :]))
        recur(*(contiguous(a).reshape(shape) for a in (self, factor)), reverse, out.reshape(shape))
    else:
        out[...] = self
    return out


@jit
def recur(added: Array, factor: Array, reverse: bool, out: Array) -> None:
    """The recurrence along the middle one of three dimensions."""
    length = added.shape[1]
    step = -1 if reverse else 1
    for i in range(added.shape[0]):
        for k in range(length):
            j = length - 1 - k if reverse else k
            for m in range(added.shape[2]):
                value = added[i, j, m]
                if k:
                    value += factor[i, j, m] * out[i, j - step, m]
                out[i, j, m] = value
