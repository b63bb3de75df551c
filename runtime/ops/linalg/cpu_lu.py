"""The LU decomposition by SciPy's LAPACK."""

from __future__ import annotations

import math

import numpy as np

from .cpu import refuse
from .cpu_lapack import matrices, routine

Array = np.ndarray

_ZERO = (
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
        refuse("linalg_lu_factor", _ZERO, info)
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
