"""Inverses, solutions of linear systems and determinants, and Cholesky's decomposition: NumPy's LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from ...errors import LinAlgError
from .cpu_lapack import first_bad_minors, first_zero_pivots, matrices

Array = np.ndarray

_INVERSE = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
_SOLVE = "The solver failed because the input matrix is singular (the diagonal element {} is zero)."
_CHOLESKY = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)


def refuse(op: str, words: str, info: Array) -> NoReturn:
    """Raise the error of the first matrix whose `info` is not 0, and say which of the batch it is."""
    place = int(np.flatnonzero(info)[0])
    which = f"(Batch element {place}): " if info.ndim else ""
    raise LinAlgError(f"{op}(): {which}{words.format(int(info.flat[place]))}")


def _each(function: Callable[..., Array], result: Array, *arrays: Array) -> Array:
    """The function of each matrix of a batch by itself; nan where it fails."""
    for *given, out in matrices(*arrays, result):
        try:
            out[:] = function(*given)
        except np.linalg.LinAlgError:
            out[:] = np.nan
    return result


def inverse_info(a: Array, check_errors: bool) -> tuple[Array, Array]:
    """The inverses, nan for a singular matrix; and for each its first zero pivot, 0 if there is none."""
    try:
        return np.linalg.inv(a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        info = first_zero_pivots(a)
    if check_errors:
        refuse("linalg_inv", _INVERSE, info)
    return _each(np.linalg.inv, np.empty_like(a, order="C"), a), info


def inverse(a: Array) -> Array:
    """The inverses; a singular matrix is an error."""
    return inverse_info(a, True)[0]


def solve_matrices(a: Array, b: Array, check_errors: bool) -> tuple[Array, Array]:
    """X with A X = B, nan where A is singular; and the first zero pivot of each A, 0 if there is none."""
    try:
        return np.linalg.solve(a, b), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        info = first_zero_pivots(a)
    if check_errors:
        refuse("linalg_solve", _SOLVE, info)
    return _each(np.linalg.solve, np.empty_like(b, order="C"), a, b), info


def determinant(a: Array) -> Array:
    """The determinants."""
    with np.errstate(all="ignore"):
        return np.asarray(np.linalg.det(a), a.dtype)


def log_determinant(a: Array) -> tuple[Array, Array]:
    """The signs of the determinants and the logarithms of their absolute values."""
    with np.errstate(all="ignore"):
        sign, logarithm = np.linalg.slogdet(a)
    return np.asarray(sign, a.dtype), np.asarray(logarithm, a.real.dtype)


def cofactors(a: Array) -> Array:
    """The derivative of the determinant: det(A) A^-T, which is finite for singular matrices too."""
    try:
        return np.linalg.inv(a).swapaxes(-2, -1) * np.linalg.det(a)[..., None, None]
    except np.linalg.LinAlgError:
        u, s, vh = np.linalg.svd(a)
    others = np.stack([np.delete(s, i, -1).prod(-1) for i in range(s.shape[-1])], -1).astype(s.dtype)
    signs = np.linalg.det(u) * np.linalg.det(vh)
    return np.ascontiguousarray(signs[..., None, None] * ((u * others[..., None, :]) @ vh).conj())


def cholesky_factor(a: Array, check_errors: bool) -> tuple[Array, Array]:
    """L with A = L L^H from the lower triangle of A; and the first minor that is not positive-definite, else 0."""
    try:
        return np.linalg.cholesky(a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        info = first_bad_minors(a)
    if check_errors:
        refuse("linalg_cholesky", _CHOLESKY, info)
    return _each(np.linalg.cholesky, np.empty_like(a, order="C"), a), info
