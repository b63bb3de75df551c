"""L D L^T decompositions of symmetric matrices, which need not be definite, through SciPy's LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .lapack import matrices, routine
from .solving import refuse

Array = np.ndarray
_ZERO = "The diagonal block {} of D is exactly zero: solving with the decomposition would divide by it."


def ldl_packed(a: Array, hermitian: bool, check_errors: bool) -> tuple[Array, Array, Array]:
    """L and D in one lower triangle, the exchanges as LAPACK counts them, and the place of the first zero in D."""
    shape, packed = a.shape[:-2], np.zeros_like(a, order="C")
    pivots, info = np.zeros(a.shape[:-1], np.int64), np.zeros(shape, np.int64)
    if a.size:
        decompose, rows, places = _routine("trf", a, hermitian), pivots.reshape(-1, a.shape[-1]), info.reshape(-1)
        for number, (one, out) in enumerate(matrices(a, packed)):
            found, rows[number], places[number] = decompose(one, lower=1)
            out[:] = np.tril(found)
    if check_errors and info.any():
        refuse("linalg_ldl_factor", _ZERO, info)
    return packed, pivots, info


def ldl_pair(a: Array, hermitian: bool) -> tuple[Array, Array]:
    """The same without the place of a zero, which is an error."""
    packed, pivots, _ = ldl_packed(a, hermitian, True)
    return packed, pivots


def ldl_solution(packed: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    """X with A X = B."""
    result = np.array(b, order="C")
    if result.size:
        solve, rows = _routine("trs", packed, hermitian), pivots.reshape(-1, pivots.shape[-1])
        for number, (one, out) in enumerate(matrices(packed, result)):
            out[:] = solve(one, _exchanges(rows[number]), out, lower=1)[0]
    return result


def _exchanges(pivots: Array) -> Array:
    """What LAPACK, which believes everything, may be given; 0 stands for a row that stays where it is."""
    size, step = len(pivots), 0
    found = np.where(pivots == 0, np.arange(1, size + 1), pivots)
    if abs(found).max(initial=1) > size:
        raise RuntimeError(f"linalg_ldl_solve(): expected pivots between 1 and {size}, but got {pivots.tolist()}")
    while step < size:  # two negative ones belong to one block of D
        if found[step] < 0 and (step + 1 == size or found[step + 1] > 0):
            raise RuntimeError(f"linalg_ldl_solve(): expected negative pivots in pairs, but got {pivots.tolist()}")
        step += 2 if found[step] < 0 else 1
    return found.astype(np.int32)


def _routine(name: str, a: Array, hermitian: bool) -> Callable[..., Any]:
    return routine(("he" if hermitian and a.dtype.kind == "c" else "sy") + name, a.dtype.char)
