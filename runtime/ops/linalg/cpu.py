"""Inverses, linear systems, determinants and decompositions (Cholesky, QR, SVD, eigenvalues) by NumPy's LAPACK."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import numpy as np

from ...errors import LinAlgError
from ...kernels.cpu.plan import Array, run, run_if_planned
from ..reduction.cpu import prod_others
from . import cpu_lapack as lapack
from . import plans
from .cpu_eigh import ROTATED, symmetric_eigen, symmetric_eigenvalues
from .cpu_lapack import BLOCK, each_in_single, in_single, matrices, own_solver, takes_blocks
from .cpu_lapack_calls import one_thread, routine
from .cpu_svd import singular_vectors

_INVERSE = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
_SOLVE = "The solver failed because the input matrix is singular (the diagonal element {} is zero)."
_NOT_CONVERGED = "The algorithm failed to converge because the input matrix"
_CHOLESKY = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)


def _with_info(
    op: str,
    message: str,
    function: Callable[..., Array],
    first_failure: Callable[[Array], Array],
    check_errors: bool,
    *arrays: Array,
) -> tuple[Array, Array]:
    """The function of a batch, and where it failed, from 1: an error if `check_errors`, else the result is nan."""
    try:
        return function(*arrays), np.zeros(arrays[0].shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        info = first_failure(arrays[0])
    if check_errors:
        lapack.refuse(op, message, info)
    result = np.full_like(arrays[-1], np.nan, order="C")
    for *value, out in matrices(*arrays, result):
        with suppress(np.linalg.LinAlgError):
            out[:] = function(*value)
    return result, info


def _planned(
    find: Callable[..., Any], op: str, message: str, check_errors: bool, *arrays: Array
) -> tuple[Array, Array]:
    """The result of a plan, nan for matrices whose `info` is not 0, and `info`."""
    result, info, *_ = run(find, *map(np.ascontiguousarray, arrays), False)
    if check_errors and info.any():
        lapack.refuse(op, message, info)
    return result, info


def inverse_info(a: Array, check_errors: bool) -> tuple[Array, Array]:
    """The inverses, nan for a singular matrix; and for each its first zero pivot, 0 if there is none."""
    if takes_blocks(a):
        return _planned(plans.inverse_info, "linalg_inv", _INVERSE, check_errors, a)
    return _with_info("linalg_inv", _INVERSE, np.linalg.inv, lapack.first_zero_pivots, check_errors, a)


def inverse(a: Array) -> Array:
    return inverse_info(a, True)[0]


def solve_matrices(a: Array, b: Array, check_errors: bool) -> tuple[Array, Array]:
    """X with A X = B, nan where A is singular; and the first zero pivot of each A, 0 if there is none."""
    if takes_blocks(a) and b.size:
        return _planned(plans.solve_matrices, "linalg_solve", _SOLVE, check_errors, a, b)
    return _with_info("linalg_solve", _SOLVE, np.linalg.solve, lapack.first_zero_pivots, check_errors, a, b)


def determinant(a: Array) -> Array:
    if takes_blocks(a):
        return run(plans.determinant, np.ascontiguousarray(a))[0]
    with np.errstate(all="ignore"):
        return np.asarray(np.linalg.det(a), a.dtype)


def log_determinant(a: Array) -> tuple[Array, Array]:
    if takes_blocks(a):
        signs, logarithms, *_ = run(plans.log_determinant, np.ascontiguousarray(a))
        return signs, logarithms
    with np.errstate(all="ignore"):
        sign, logarithm = np.linalg.slogdet(a)
    return np.asarray(sign, a.dtype), np.asarray(logarithm, a.real.dtype)


def cofactors(a: Array) -> Array:
    """The derivative of the determinant: det(A) A^-T, which is finite for singular matrices too."""
    with suppress(np.linalg.LinAlgError, LinAlgError):
        return inverse(a).swapaxes(-2, -1) * determinant(a)[..., None, None]
    u, s, vh = np.linalg.svd(a)
    others = np.stack([np.delete(s, i, -1).prod(-1) for i in range(s.shape[-1])], -1).astype(s.dtype)
    signs = np.linalg.det(u) * np.linalg.det(vh)
    return np.ascontiguousarray(signs[..., None, None] * ((u * others[..., None, :]) @ vh).conj())


def cofactors_along(a: Array, direction: Array) -> Array:
    """With A = U S V^H and D = U^H H V: the cofactor (i, i) of S has the derivative sum_{j != i} D_jj p_ij, and (i, j)
    has -D_ji p_ij, where p_ij is the product of all singular values but s_i and s_j."""
    u, s, vh = np.linalg.svd(a)
    others = prod_others(np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]), -1)
    others *= 1 - np.eye(s.shape[-1], dtype=s.dtype)
    d = u.swapaxes(-2, -1).conj() @ direction @ vh.swapaxes(-2, -1).conj()
    inner = -others * d.swapaxes(-2, -1)
    np.einsum("...ii->...i", inner)[...] = (others @ np.einsum("...ii->...i", d)[..., None])[..., 0]
    signs = np.linalg.det(u) * np.linalg.det(vh)
    return np.ascontiguousarray(signs[..., None, None] * (u.conj() @ inner @ vh.conj())).astype(a.dtype, copy=False)


def cholesky_factor(a: Array, check_errors: bool) -> tuple[Array, Array]:
    """L with A = L L^H from the lower triangle of A; and the first minor that is not positive-definite, else 0."""
    if takes_blocks(a):
        return _planned(plans.cholesky_factor, "linalg_cholesky", _CHOLESKY, check_errors, a)
    return _with_info("linalg_cholesky", _CHOLESKY, np.linalg.cholesky, lapack.first_bad_minors, check_errors, a)


def _converging(op: str, function: Callable[..., Any], a: Array, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(a, *args, **kwargs)
    except np.linalg.LinAlgError:
        raise not_converged(op, a) from None


def not_converged(op: str, a: Array) -> LinAlgError:
    finite = np.isfinite(a).all()
    reason = "is ill-conditioned or has too many repeated values" if finite else "contained non-finite values"
    return LinAlgError(f"{op}(): {_NOT_CONVERGED} {reason}.")


def qr_factors(a: Array, mode: Literal["reduced", "complete", "r"]) -> tuple[Array, Array]:
    if takes_blocks(a):
        q, r = run(plans.qr_factors, np.ascontiguousarray(a), mode)
        return q, r
    if mode == "r":
        return np.empty(0, a.dtype), np.asarray(np.linalg.qr(a, "r"))
    q, r = np.linalg.qr(a, mode)
    return q, r


def svd_factors(a: Array, full_matrices: bool, driver: None) -> tuple[Array, Array, Array]:
    solver = own_solver("bdsdc", a) if not full_matrices or a.shape[-2] == a.shape[-1] else 0
    if solver:
        with one_thread():
            u, s, vh = _converging("linalg_svd", singular_vectors, a, solver)
        return u, s, vh
    solve = partial(each_in_single, "gesdd") if in_single(a) else np.linalg.svd
    u, s, vh = _converging("linalg_svd", solve, a, full_matrices=full_matrices)
    return u, s, vh


def singular_values(a: Array, driver: None) -> Array:
    return _converging("linalg_svdvals", np.linalg.svd, a, compute_uv=False)


def planned_eigen(a: Array) -> list[Array] | None:
    try:
        return run_if_planned(plans.hermitian_eigen, np.ascontiguousarray(a))
    except ValueError:
        raise np.linalg.LinAlgError from None


def hermitian_eigen(a: Array) -> tuple[Array, Array]:
    if takes_blocks(a) and (value := _converging("linalg_eigh", planned_eigen, a)):
        return value[0], value[1]
    if solver := own_solver("stedc", a):
        with one_thread():
            values, vectors = _converging("linalg_eigh", symmetric_eigen, a, solver)
        return values, vectors
    solve = partial(each_in_single, "syevd", lower=1) if in_single(a) else np.linalg.eigh
    values, vectors = _converging("linalg_eigh", solve, a)
    return values, vectors


def hermitian_eigenvalues(a: Array) -> Array:
    if takes_blocks(a) and a.shape[-1] <= ROTATED:
        return _converging("linalg_eigvalsh", symmetric_eigenvalues, a)
    return _converging("linalg_eigvalsh", np.linalg.eigvalsh, a)


def general_eigen(a: Array) -> tuple[Array, Array]:
    _require_finite("linalg_eig", a)
    values, vectors = _converging("linalg_eig", np.linalg.eig, a)
    wide = np.result_type(a.dtype, np.complex64)
    return values.astype(wide, copy=False), vectors.astype(wide, copy=False)


def general_eigenvalues(a: Array) -> Array:
    _require_finite("linalg_eigvals", a)
    value = _converging("linalg_eigvals", np.linalg.eigvals, a)
    return value.astype(np.result_type(a.dtype, np.complex64), copy=False)


def _require_finite(op: str, a: Array) -> None:
    if not np.isfinite(a).all():
        raise RuntimeError(f"{op}(): input tensor should not contain infs or NaNs.")


def pseudo_inverse(a: Array, atol: Array, rtol: Array) -> Array:
    """The inverse on the space of those singular vectors whose values are above max(atol, rtol * the greatest)."""
    u, s, vh = svd_factors(a, False, None)
    limit = np.maximum(atol, rtol * s.max(-1, initial=0))[..., None]
    inverted = np.divide(1, s, out=np.zeros_like(s), where=s > limit)
    return np.ascontiguousarray(((u * inverted[..., None, :]) @ vh).conj().swapaxes(-2, -1))


def lstsq_solve(a: Array, b: Array, rcond: float) -> tuple[Array, Array]:
    if not np.isfinite(a).all():
        raise LinAlgError(f"linalg_lstsq(): {_NOT_CONVERGED} contained non-finite values.")
    result = np.zeros((*a.shape[:-2], a.shape[-1], b.shape[-1]), a.dtype)
    ranks = np.zeros(a.shape[:-2], np.int64)
    if not a.size or not b.size:
        return result, ranks
    if value := run_if_planned(plans.lstsq_solve, np.ascontiguousarray(a), np.ascontiguousarray(b), rcond):
        return value[0], value[1]
    solve, flat = routine("gelsy", a.dtype.char), ranks.reshape(-1)
    rows, columns = a.shape[-2:]
    right = np.zeros((*a.shape[:-2], max(rows, columns), b.shape[-1]), a.dtype)
    right[..., :rows, :] = b
    workspace_size = max(
        min(rows, columns) + 2 * columns + BLOCK * (columns + 1), 2 * min(rows, columns) + BLOCK * b.shape[-1]
    )
    for number, (one, arg, out) in enumerate(matrices(a, right, result)):
        with one_thread():
            x, flat[number] = solve(one, arg, np.zeros(columns, np.int32), rcond, workspace_size)[1:5:2]
        out[:] = x[:columns]
    return result, ranks


def reflected_columns(a: Array, factors: Array) -> Array:
    if a.size:
        return run(plans.reflected_columns, np.ascontiguousarray(a), np.ascontiguousarray(factors))[0]
    return np.empty_like(a, order="C")


def matrix_exponential(a: Array) -> Array:
    from scipy.linalg import expm

    return np.ascontiguousarray(expm(a)) if a.size else a.copy()


def geqrf(self: Array) -> tuple[Array, Array]:
    packed, tau = np.linalg.qr(self, mode="raw")
    return np.ascontiguousarray(packed.swapaxes(-1, -2)), tau
