"""Decompositions of matrices through NumPy's LAPACK: QR, singular values, eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...errors import LinAlgError

Array = np.ndarray


def _converging(op: str, function: Callable[..., Any], a: Array, *args: Any, **kwargs: Any) -> Any:
    """What the function gives; where it does not converge, an error that says why."""
    try:
        return function(a, *args, **kwargs)
    except np.linalg.LinAlgError:
        reason = (
            "is ill-conditioned or has too many repeated values"
            if np.isfinite(a).all()
            else "contained non-finite values"
        )
    raise LinAlgError(f"{op}(): The algorithm failed to converge because the input matrix {reason}.")


def qr_factors(a: Array, mode: Literal["reduced", "complete", "r"]) -> tuple[Array, Array]:
    """Q with orthonormal columns and R upper triangular; with mode "r" R alone, and an empty Q."""
    if mode == "r":
        return np.empty(0, a.dtype), np.asarray(np.linalg.qr(a, "r"))
    q, r = np.linalg.qr(a, mode)
    return q, r


def svd_factors(a: Array, full_matrices: bool, driver: None) -> tuple[Array, Array, Array]:
    """U, the singular values in descending order, V^H."""
    u, s, vh = _converging("linalg_svd", np.linalg.svd, a, full_matrices=full_matrices)
    return u, s, vh


def singular_values(a: Array, driver: None) -> Array:
    """The singular values in descending order."""
    return _converging("linalg_svdvals", np.linalg.svd, a, compute_uv=False)


def hermitian_eigen(a: Array) -> tuple[Array, Array]:
    """The eigenvalues in ascending order and the eigenvectors, from the lower triangle of A."""
    values, vectors = _converging("linalg_eigh", np.linalg.eigh, a)
    return values, vectors


def hermitian_eigenvalues(a: Array) -> Array:
    """The eigenvalues in ascending order, from the lower triangle of A."""
    return _converging("linalg_eigvalsh", np.linalg.eigvalsh, a)


def general_eigen(a: Array) -> tuple[Array, Array]:
    """The eigenvalues and eigenvectors, complex numbers; the vectors have length 1."""
    _require_finite("linalg_eig", a)
    values, vectors = _converging("linalg_eig", np.linalg.eig, a)
    wide = np.result_type(a.dtype, np.complex64)
    return values.astype(wide, copy=False), vectors.astype(wide, copy=False)


def general_eigenvalues(a: Array) -> Array:
    """The eigenvalues, complex numbers."""
    _require_finite("linalg_eigvals", a)
    found = _converging("linalg_eigvals", np.linalg.eigvals, a)
    return found.astype(np.result_type(a.dtype, np.complex64), copy=False)


def _require_finite(op: str, a: Array) -> None:
    if not np.isfinite(a).all():
        raise RuntimeError(f"{op}(): input tensor should not contain infs or NaNs.")


def pseudo_inverse(a: Array, atol: Array, rtol: Array) -> Array:
    """The inverse on the space of those singular vectors whose values are above max(atol, rtol * the greatest)."""
    u, s, vh = svd_factors(a, False, None)
    limit = np.maximum(atol, rtol * s.max(-1, initial=0))[..., None]
    inverted = np.divide(1, s, out=np.zeros_like(s), where=s > limit)
    return np.ascontiguousarray(((u * inverted[..., None, :]) @ vh).conj().swapaxes(-2, -1))


def matrix_exponential(a: Array) -> Array:
    """exp(A), by scaling and squaring of Pade approximants."""
    from scipy.linalg import expm

    return np.ascontiguousarray(expm(a)) if a.size else a.copy()


def geqrf(self: Array) -> tuple[Array, Array]:
    """Householder reflections below the diagonal, R above it, and the factors of the reflections."""
    packed, tau = np.linalg.qr(self, mode="raw")
    return np.ascontiguousarray(packed.swapaxes(-1, -2)), tau
