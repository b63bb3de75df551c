"""LU decompositions, and LDL decompositions of symmetric and Hermitian matrices, by SciPy's LAPACK."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .cpu import refuse
from .cpu_lapack import matrices, routine

Array = np.ndarray

_ZERO_U = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def lu_packed(a: Array, check_errors: bool) -> tuple[Array, Array, Array]:
    """L and U in one matrix, the rows that were exchanged, counted from 1, and the first zero pivot, 0 if none."""
    shape = a.shape[:-2]
    packed = np.empty_like(a, order="C")
    pivots = np.empty((*shape, min(a.shape[-2:])), np.int32)
    info = np.zeros(shape, np.int32)
    if a.size:
        decompose = routine("getrf", a.dtype.char)
        rows, places = pivots.reshape(-1, pivots.shape[-1]), info.reshape(-1)
        for number, (one, out) in enumerate(matrices(a, packed)):
            out[:], exchanged, places[number] = decompose(one)
            rows[number] = exchanged + 1
    if check_errors and info.any():
        refuse("linalg_lu_factor", _ZERO_U, info)
    return packed, pivots, info


def row_order(pivots: Array, rows: int) -> Array:
    """Which row of A stands in each row of L U after all exchanges."""
    order = np.broadcast_to(np.arange(rows), (*pivots.shape[:-1], rows)).copy()
    count = math.prod(pivots.shape[:-1])
    flat, exchanged = order.reshape(count, rows), pivots.reshape(count, pivots.shape[-1])
    every = np.arange(len(flat))
    for i in range(pivots.shape[-1]):
        other = exchanged[:, i] - 1
        flat[every, i], flat[every, other] = flat[every, other].copy(), flat[:, i].copy()
    return order


BLOCK = 64  # columns that LAPACK takes at once where it is given the memory for it
_ZERO_D = "D[{0},{0}] is zero and using it on ldl_solve would result in a division by zero."


def ldl_packed(a: Array, hermitian: bool, check_errors: bool) -> tuple[Array, Array, Array]:
    """L and D in one matrix, which rows were exchanged, and the first zero of D, 0 if none.

    Read is the lower triangle of A. Two negative exchanges, one after the other, stand for a block of 2 by 2 of D.
    """
    packed = np.zeros(a.shape, a.dtype)
    shape = a.shape[:-2]
    pivots = np.empty((*shape, a.shape[-1]), np.int32)
    info = np.zeros(shape, np.int32)
    if a.size:
        decompose = of_symmetry("trf", a.dtype, hermitian)
        rows, places = pivots.reshape(-1, pivots.shape[-1]), info.reshape(-1)
        for number, (one, out) in enumerate(matrices(a, packed)):
            found, rows[number], places[number] = decompose(one, lower=1, lwork=BLOCK * len(one))
            out[:] = np.tril(found)
    if check_errors and info.any():
        refuse("linalg_ldl_factor", _ZERO_D, info)
    return packed, pivots, info


def ldl_solve_matrices(packed: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    """X with A X = B for matrices of one batch, from what `ldl_packed` gives of A."""
    result = np.empty(b.shape, b.dtype)
    if b.size:
        solve = of_symmetry("trs", b.dtype, hermitian)
        exchanged = exchanges(pivots.reshape(-1, pivots.shape[-1]))
        for number, (one, right, out) in enumerate(matrices(packed, b, result)):
            out[:] = solve(one, exchanged[number], right, lower=1)[0]
    return result


def exchanges(pivots: Array) -> Array:
    """The pivots, which LAPACK believes whatever they are: rows that there are, negative ones in pairs; 0 for none."""
    size = pivots.shape[-1]
    found = np.where(pivots == 0, np.arange(1, size + 1), pivots)
    paired = found < 0
    odd = paired.cumsum(-1) % 2 == 1  # between the two of a pair
    if (abs(found) > size).any() or (odd & ~paired).any() or odd[:, -1].any():
        raise RuntimeError(
            f"linalg_ldl_solve(): expected pivots from 1 to {size}, negative ones in pairs, but got some from "
            f"{pivots.min()} to {pivots.max()}"
        )
    return found


def of_symmetry(name: str, dtype: np.dtype[Any], hermitian: bool) -> Callable[..., Any]:
    """The routine for Hermitian matrices or for symmetric ones, which are the same where numbers are real."""
    return routine(("he" if hermitian and dtype.kind == "c" else "sy") + name, dtype.char)
