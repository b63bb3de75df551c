"""References of L D L^T factors: Bunch and Kaufman's method on full matrices, and A put together again from factors.

J. R. Bunch and L. Kaufman, "Some stable methods for calculating inertia and solving symmetric linear systems", Math.
Comp. 31 (1977), with the bound and the order of the choices that LAPACK's sytf2 documents.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

BOUND = (1 + 17**0.5) / 8


def size_of(x: Any) -> Any:
    """How large LAPACK takes a number to be: |re| + |im|."""
    return abs(x.real) + abs(x.imag)


def swap_rows(a: Any, i: int, j: int) -> None:
    """Rows and columns i and j change places."""
    a[[i, j]] = a[[j, i]]
    a[:, [i, j]] = a[:, [j, i]]


def pivot(a: Any) -> tuple[int, int]:
    """How many rows the first block of a has, and the row that its last one is exchanged with."""
    if len(a) == 1:
        return 1, 0
    row = 1 + int(np.argmax(size_of(a[1:, 0])))
    largest, first = size_of(a[row, 0]), size_of(a[0, 0])
    if first >= BOUND * largest:
        return 1, 0
    beside = max(size_of(x) for i, x in enumerate(a[row]) if i != row)
    if first >= BOUND * largest * (largest / beside):
        return 1, 0
    return (1, row) if size_of(a[row, row]) >= BOUND * beside else (2, row)


def factors_of_one(a: Any, turn: Callable[[Any], Any]) -> tuple[Any, Any, Any]:
    """L and D packed, the exchanges, and the first zero on the diagonal of D, of one matrix."""
    n, k, info = len(a), 0, 0
    a, packed, pivots = full(a, turn), np.zeros_like(a), np.zeros(n, np.int32)
    while k < n:
        rest = a[k:, k:]
        rows, other = pivot(rest)
        swap_rows(rest, rows - 1, other)
        pivots[k : k + rows] = (k + other + 1) * (1 if rows == 1 else -1)
        block, below = rest[:rows, :rows], rest[rows:, :rows]
        if size_of(rest[:, :rows]).any():
            below[:] = below @ np.linalg.inv(block)
            rest[rows:, rows:] -= below @ block @ turn(below)
        else:
            info = info or k + 1
        packed[k:, k : k + rows] = np.tril(rest[:, :rows])
        k += rows
    return packed, pivots, np.int32(info)


def full(lower: Any, turn: Callable[[Any], Any]) -> Any:
    """The matrix whose lower triangle is given; the diagonal of one that is its own adjoint is real."""
    below, diagonal = np.tril(lower, -1), np.diagonal(lower)
    return below + turn(below) + np.diag((diagonal + turn(diagonal)) / 2)


def flip_kernel(hermitian: bool) -> Callable[[Any], Any]:
    """The transpose, or the adjoint."""
    return lambda x: x.conj().T if hermitian else x.T


def factors(self: Any, hermitian: bool = False, check_errors: bool = False) -> Any:
    """Those of each matrix of a batch."""
    each = np.vectorize(lambda a: factors_of_one(a, flip_kernel(hermitian)), signature="(n,n)->(n,n),(n),()")
    return each(self)


def rebuilt(packed: Any, pivots: Any, turn: Callable[[Any], Any]) -> Any:
    """The matrix that has such factors: the product of each exchange and each part of L, around D."""
    n, k = len(packed), 0
    left, center = np.eye(n, dtype=packed.dtype), np.zeros_like(packed)
    while k < n:
        rows = 1 if pivots[k] > 0 else 2
        last = k + rows - 1
        left[:, [last, abs(pivots[last]) - 1]] = left[:, [abs(pivots[last]) - 1, last]]
        part = np.eye(n, dtype=packed.dtype)
        part[k + rows :, k : k + rows] = packed[k + rows :, k : k + rows]
        left = left @ part
        center[k : k + rows, k : k + rows] = full(packed[k : k + rows, k : k + rows], turn)
        k += rows
    return left @ center @ turn(left)


def solution(LD: Any, pivots: Any, B: Any, hermitian: bool = False) -> Any:
    """A X = B, solved with A in full."""
    solve = np.vectorize(
        lambda packed, swaps, b: np.linalg.solve(rebuilt(packed, swaps, flip_kernel(hermitian)), b),
        signature="(n,n),(n),(n,k)->(n,k)",
    )
    return solve(LD, pivots, B)


LDL: dict[str, Callable[..., Any]] = {
    "ldl_packed": factors,
    "linalg_ldl_factor": lambda self, hermitian=False: factors(self, hermitian)[:2],
    "linalg_ldl_factor_ex": factors,
    "ldl_solve_matrices": solution,
    "linalg_ldl_solve": solution,
}
