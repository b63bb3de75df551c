"""BLAS and LAPACK where only SciPy offers the routine, one matrix of a batch after the other; loaded on first use."""

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


@functools.cache
def triangular_routine(char: str) -> Callable[..., Any]:
    """BLAS's solution of triangular systems for a dtype."""
    from scipy.linalg import get_blas_funcs

    return get_blas_funcs(("trsm",), (np.empty(0, char),))[0]


def matrices(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """The matrices of several batches of one shape, side by side."""
    flat = [a.reshape((-1, *a.shape[-2:])) if a.size else np.empty((0, *a.shape[-2:]), a.dtype) for a in arrays]
    return zip(*flat, strict=True)


def first_zero_pivots(a: Array) -> Array:
    """For each matrix the place of the first zero on the diagonal of its LU decomposition, counted from 1; else 0."""
    found = [routine("getrf", a.dtype.char)(one)[2] for (one,) in matrices(a)]
    return np.array(found, np.int32).reshape(a.shape[:-2])


def first_bad_minors(a: Array) -> Array:
    """For each Hermitian matrix the order of the first leading minor that is not positive-definite; else 0."""
    found = [routine("potrf", a.dtype.char)(one, lower=1)[1] for (one,) in matrices(a)]
    return np.array(found, np.int32).reshape(a.shape[:-2])


def solve_triangular_matrices(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    """X with A X = B; only one triangle of A is read, without its diagonal if that is known to be 1."""
    result = np.array(b, order="C")
    if result.size:
        for one, out in matrices(a, result):
            _solve_triangular(one, out, upper, unitriangular)
    return result


def _solve_triangular(a: Array, b: Array, upper: bool, unitriangular: bool) -> None:
    """One matrix: X^T A^T = B^T in place, since BLAS reads columns first; a zero on the diagonal gives infinities."""
    given, turned = (a, True) if a.flags.f_contiguous else (a.T, False)
    lower = upper != turned
    solve = triangular_routine(a.dtype.char)
    b[:] = solve(1, given, b.T, side=1, lower=lower, trans_a=turned, diag=unitriangular, overwrite_b=1).T
