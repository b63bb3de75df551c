"""LAPACK's routines that only SciPy offers, one matrix after the other of a batch; SciPy is loaded on first use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray


@functools.cache
def routine(name: str, char: str) -> Callable[..., Any]:
    """The routine for a dtype, such as dgetrf for getrf and "d"."""
    from scipy.linalg import get_lapack_funcs

    return get_lapack_funcs((name,), (np.empty(0, char),))[0]


def matrices(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """The matrices of several batches of one shape, side by side."""
    flat = [a.reshape((-1, *a.shape[-2:])) if a.size else np.empty((0, *a.shape[-2:]), a.dtype) for a in arrays]
    return zip(*flat, strict=True)


def first_zero_pivots(a: Array) -> Array:
    """For each matrix the place of the first zero on the diagonal of its LU decomposition, counted from 1; else 0."""
    found = [routine("getrf", a.dtype.char)(one)[2] for (one,) in matrices(a)]
    return np.array(found, np.int64).reshape(a.shape[:-2])


def first_bad_minors(a: Array) -> Array:
    """For each Hermitian matrix the order of the first leading minor that is not positive-definite; else 0."""
    found = [routine("potrf", a.dtype.char)(one, lower=1)[1] for (one,) in matrices(a)]
    return np.array(found, np.int64).reshape(a.shape[:-2])


def solve_triangular_matrices(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    """X with A X = B; only one triangle of A is read, without its diagonal if that is known to be 1."""
    result = np.empty_like(b, order="C")
    if not result.size:
        return result
    solve = routine("trtrs", a.dtype.char)
    for one, right, out in matrices(a, b, result):
        _solve_triangular(solve, one, right, out, upper, unitriangular)
    return result


def _solve_triangular(solve: Any, a: Array, b: Array, out: Array, upper: bool, unitriangular: bool) -> None:
    """One matrix: LAPACK reads columns first, so a matrix of rows is given as its transpose of the other triangle."""
    if a.flags.f_contiguous:
        x, info = solve(a, b, lower=not upper, trans=0, unitdiag=unitriangular)
    else:
        x, info = solve(a.T, b, lower=upper, trans=1, unitdiag=unitriangular)
    if info > 0:  # LAPACK refuses a zero on the diagonal; what division by it gives is what elimination would
        x = _substituted(a, b, upper)
    out[:] = x


def _substituted(a: Array, b: Array, upper: bool) -> Array:
    """Substitution, row by row, with infinities where the diagonal is zero."""
    x = b.copy()
    rows = range(len(a) - 1, -1, -1) if upper else range(len(a))
    with np.errstate(all="ignore"):
        for i in rows:
            known = slice(i + 1, None) if upper else slice(0, i)
            x[i] = (x[i] - a[i, known] @ x[known]) / a[i, i]
    return x
