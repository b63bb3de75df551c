"""Reductions that choose or test elements: extrema, their places, any and all. nan is extreme and true."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
Dims = tuple[int, ...]

_greatest: Any = np.maximum.reduce  # NumPy's stubs want a literal keepdims
_least: Any = np.minimum.reduce
_some: Any = np.logical_or.reduce
_every: Any = np.logical_and.reduce


def amax(a: Array, dim: Dims, keepdim: bool) -> Array:
    """max_i a_i over `dim`."""
    return _greatest(a, axis=dim, keepdims=keepdim)


def amin(a: Array, dim: Dims, keepdim: bool) -> Array:
    """min_i a_i over `dim`."""
    return _least(a, axis=dim, keepdims=keepdim)


def max_all(a: Array) -> Array:
    """max_i a_i."""
    return _greatest(a, axis=None)


def min_all(a: Array) -> Array:
    """min_i a_i."""
    return _least(a, axis=None)


def max_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The greatest elements along `dim` and where they first occur."""
    return _taken(a, a.reshape(a.shape or 1).argmax(dim, keepdims=True), dim, keepdim)


def min_dim(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The least elements along `dim` and where they first occur."""
    return _taken(a, a.reshape(a.shape or 1).argmin(dim, keepdims=True), dim, keepdim)


def _taken(a: Array, places: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    values = np.take_along_axis(a.reshape(a.shape or 1), places, dim)
    shape = places.shape if keepdim else places.shape[:dim] + places.shape[dim + 1 :]
    shape = shape if a.ndim else ()
    return values.reshape(shape), places.reshape(shape)


def argmax(a: Array, dim: int | None, keepdim: bool) -> Array:
    """Where the greatest element first occurs along `dim`, or in the flattened array."""
    return _place(a.argmax, a, dim, keepdim)


def argmin(a: Array, dim: int | None, keepdim: bool) -> Array:
    """Where the least element first occurs along `dim`, or in the flattened array."""
    return _place(a.argmin, a, dim, keepdim)


def _place(find: Any, a: Array, dim: int | None, keepdim: bool) -> Array:
    return find(axis=dim if a.ndim else None, keepdims=keepdim)


def any_all(a: Array) -> Array:
    """Whether some element is not zero."""
    return _some(a, axis=None)


def any_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """Whether some element along `dim` is not zero."""
    return _some(a, axis=dim, keepdims=keepdim)


def all_all(a: Array) -> Array:
    """Whether no element is zero."""
    return _every(a, axis=None)


def all_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """Whether no element along `dim` is zero."""
    return _every(a, axis=dim, keepdims=keepdim)
