"""BLAS and LAPACK where only SciPy offers the routine: triangular systems, LU and LDL decompositions.

SciPy is loaded by the first call. The matrices of a batch are computed one after the other.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import LinAlgError
from ...kernels.cpu.plan import Array, run
from . import plans
from .cpu_lapack_calls import SINGLE, c_address, one_thread, routine


def refuse(op: str, message: str, info: Array) -> NoReturn:
    """Raise the error of the first matrix whose `info` is not 0, and say which of the batch it is."""
    number = int(np.flatnonzero(info)[0])
    which = f"(Batch element {number}): " if info.ndim else ""
    raise LinAlgError(f"{op}(): {which}{message.format(int(info.flat[number]))}")


def takes_blocks(a: Array) -> bool:
    """Whether matrices are for our own loops: there are some, of real numbers."""
    return a.dtype.char in "fd" and a.size > 0


LARGEST = 1 << 20  # bytes of a square matrix that a cache keeps from one reflection to the next


def own_solver(name: str, a: Array) -> int:
    """The address of the routine for what our reflections leave; 0 where LAPACK does all."""
    side = min(a.shape[-2:])
    takes = a.dtype.char in "fd" and a.size > 0 and side >= SINGLE and side * side * a.itemsize <= LARGEST
    return c_address(name, a.dtype.char) if takes else 0


def in_single(a: Array) -> bool:
    """Whether LAPACK is to compute in float32: NumPy's functions convert to float64, which takes twice as long."""
    return a.dtype.char == "f" and min(a.shape[-2:]) >= SINGLE and a.size > 0


def each_in_single(name: str, a: Array, **options: Any) -> tuple[Array, ...]:
    solve = routine(name, "f")
    matches = []
    for (one,) in matrices(a):
        with one_thread():
            *results, info = solve(one, **options)
        if info or not np.isfinite(results[0]).all():
            raise np.linalg.LinAlgError(f"{name} did not converge")
        matches.append(results)
    parts = zip(*matches, strict=True)
    return tuple(np.ascontiguousarray(np.stack(part)).reshape(*a.shape[:-2], *part[0].shape) for part in parts)


def matrices(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    flat = [a.reshape((-1, *a.shape[-2:])) if a.size else np.empty((0, *a.shape[-2:]), a.dtype) for a in arrays]
    return zip(*flat, strict=True)


def first_zero_pivots(a: Array) -> Array:
    """For each matrix the index of the first zero on the diagonal of its LU decomposition, from 1; 0 if none."""
    matches = [routine("getrf", a.dtype.char)(one)[2] for (one,) in matrices(a)]
    return np.array(matches, np.int32).reshape(a.shape[:-2])


def first_bad_minors(a: Array) -> Array:
    matches = [routine("potrf", a.dtype.char)(one, lower=1)[1] for (one,) in matrices(a)]
    return np.array(matches, np.int32).reshape(a.shape[:-2])


def solve_triangular_matrices(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    """X with A X = B; only one triangle of A is read, without its diagonal if that is known to be 1."""
    if takes_blocks(a) and b.size:
        return run(plans.solve_triangular_matrices, *map(np.ascontiguousarray, (a, b)), upper, unitriangular)[0]
    result = np.array(b, order="C")
    for one, out in matrices(a, result) if result.size else ():
        # X^T A^T = B^T in place, since BLAS reads columns first; a zero on the diagonal gives infinities.
        value, transposed = (one, True) if one.flags.f_contiguous else (one.T, False)
        options = {"side": 1, "lower": upper != transposed, "trans_a": transposed, "diag": unitriangular}
        out[:] = routine("trsm", a.dtype.char)(1, value, out.T, overwrite_b=1, **options).T
    return result


Factors = tuple[Array, Array, Array]  # packed factors, pivots, info

BLOCK = 64  # columns that LAPACK takes at once where it is given the memory for it
_ZERO_D = "D[{0},{0}] is zero and using it on ldl_solve would result in a division by zero."
_ZERO_U = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def lu_packed(a: Array, check_errors: bool) -> Factors:
    """L and U in one matrix, the rows that were exchanged, counted from 1, and the first zero pivot, 0 if none."""
    if takes_blocks(a):
        packed, pivots, info = run(plans.lu_packed, np.ascontiguousarray(a), False)
        if check_errors and info.any():
            refuse("linalg_lu_factor", _ZERO_U, info)
        return packed, pivots, info

    def decompose(one: Array) -> Factors:
        packed, exchanged, info = routine("getrf", a.dtype.char)(one)
        return packed, exchanged + 1, info

    return _each_packed(decompose, a, "linalg_lu_factor", _ZERO_U, check_errors)


def ldl_packed(a: Array, hermitian: bool, check_errors: bool) -> Factors:
    """L and D in one matrix, which rows were exchanged, and the first zero of D, 0 if none.

    Only the lower triangle of A is read. Two negative pivots in a row stand for a block of 2 by 2 of D.
    """

    def decompose(one: Array) -> Factors:
        packed, pivots, info = of_symmetry("trf", a.dtype, hermitian)(one, lower=1, lwork=BLOCK * len(one))
        return np.tril(packed), pivots, info

    return _each_packed(decompose, a, "linalg_ldl_factor", _ZERO_D, check_errors)


def _each_packed(decompose: Callable[[Array], Factors], a: Array, op: str, message: str, check_errors: bool) -> Factors:
    packed = np.zeros(a.shape, a.dtype)
    pivots = np.empty((*a.shape[:-2], min(a.shape[-2:])), np.int32)
    info = np.zeros(a.shape[:-2], np.int32)
    if a.size:
        rows, infos = pivots.reshape(-1, pivots.shape[-1]), info.reshape(-1)
        for number, (one, out) in enumerate(matrices(a, packed)):
            out[:], rows[number], infos[number] = decompose(one)
    if check_errors and info.any():
        refuse(op, message, info)
    return packed, pivots, info


def row_order(pivots: Array, rows: int) -> Array:
    order = np.broadcast_to(np.arange(rows), (*pivots.shape[:-1], rows)).copy()
    count = math.prod(pivots.shape[:-1])
    flat, exchanged = order.reshape(count, rows), pivots.reshape(count, pivots.shape[-1])
    every = np.arange(len(flat))
    for i in range(pivots.shape[-1]):
        other = exchanged[:, i] - 1
        flat[every, i], flat[every, other] = flat[every, other].copy(), flat[:, i].copy()
    return order


def ldl_solve_matrices(packed: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    """X with A X = B for matrices of one batch, from what `ldl_packed` gives of A."""
    result = np.empty(b.shape, b.dtype)
    if b.size:
        solve = of_symmetry("trs", b.dtype, hermitian)
        exchanged = pivots_to_swaps(pivots.reshape(-1, pivots.shape[-1]))
        for number, (one, right, out) in enumerate(matrices(packed, b, result)):
            out[:] = solve(one, exchanged[number], right, lower=1)[0]
    return result


def pivots_to_swaps(pivots: Array) -> Array:
    """The pivots, which LAPACK believes whatever they are: rows that there are, negative ones in pairs; 0 for none."""
    size = pivots.shape[-1]
    result = np.where(pivots == 0, np.arange(1, size + 1), pivots)
    paired = result < 0
    odd = paired.cumsum(-1) % 2 == 1  # between the two of a pair
    if (abs(result) > size).any() or (odd & ~paired).any() or odd[:, -1].any():
        raise RuntimeError(
            f"linalg_ldl_solve(): expected pivots from 1 to {size}, negative ones in pairs, but got some from "
            f"{pivots.min()} to {pivots.max()}"
        )
    return result


def of_symmetry(name: str, dtype: np.dtype[Any], hermitian: bool) -> Callable[..., Any]:
    return routine(("he" if hermitian and dtype.kind == "c" else "sy") + name, dtype.char)
