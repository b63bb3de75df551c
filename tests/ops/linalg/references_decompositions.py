"""References of decompositions and norms. What is only determined up to signs is not compared."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg


def lower(a: Any) -> Any:
    """The Hermitian matrices that NumPy reads in the lower triangles."""
    return np.tril(a) + np.tril(a, -1).conj().swapaxes(-2, -1)


def transposed(a: Any, uplo: str) -> Any:
    """The matrices, or their adjoints if the upper triangle is to be read."""
    return a if uplo == "L" else a.conj().swapaxes(-2, -1)


def values_of(a: Any, uplo: str = "L") -> Any:
    """The eigenvalues of Hermitian matrices."""
    return np.linalg.eigvalsh(lower(transposed(a, uplo)))


def svdvals(a: Any) -> Any:
    """The singular values: the roots of the eigenvalues of A A^H."""
    small = a if a.shape[-2] <= a.shape[-1] else a.swapaxes(-2, -1)
    squares = np.linalg.eigvalsh(small @ small.conj().swapaxes(-2, -1))
    return np.sqrt(np.maximum(squares, 0))[..., ::-1]


def pinv(self: Any, atol: Any = None, rtol: Any = None, hermitian: bool = False, rcond: Any = None) -> Any:
    """The pseudo-inverse, of matrices whose singular values are far from the limits."""
    limit = (1e-15 if rtol is None else rtol) if atol is None else np.max(atol / np.linalg.norm(self, 2, (-2, -1)))
    return np.linalg.pinv(lower(self) if hermitian else self, limit)


def rank(
    self: Any = None, atol: Any = None, rtol: Any = None, tol: Any = None, hermitian: bool = False, **rest: Any
) -> Any:
    """The count of singular values above the limits."""
    a = rest.get("input", self)
    values = abs(values_of(a)) if hermitian else svdvals(a)
    limit = tol if tol is not None else 1e-9 if atol is None else atol
    relative = np.asarray(rtol or 0.0)[..., None] * values.max(-1, initial=0, keepdims=True)
    return (values > np.maximum(np.asarray(limit)[..., None], relative)).sum(-1)


def lstsq(self: Any, b: Any, rcond: Any = None, driver: Any = None) -> Any:
    """SciPy's, matrix by matrix, with the parts that the driver gives."""
    by_values, right = driver in ("gelsd", "gelss"), b[..., None] if b.ndim < self.ndim else b
    parts = "(m,n),(m,k)->(n,k),(k),(),(s)"

    def one(a: Any, y: Any) -> Any:
        x, residuals, rank, values = linalg.lstsq(a, y, rcond)
        return x, residuals if residuals.size else abs(a @ x - y).sum(0) * np.nan, rank, values

    x, residuals, rank, values = np.vectorize(one, signature=parts)(self, right)
    notified = self.shape[-2] > self.shape[-1] and (driver == "gels" or (by_values and (rank == self.shape[-1]).all()))
    nothing = np.zeros(0)
    x = x if right is b else x[..., 0]
    return (
        x,
        residuals if notified else nothing,
        nothing if driver == "gels" else rank,
        values if by_values else nothing,
    )


def condition(self: Any, p: Any = None) -> Any:
    """The product of the norms of a matrix and its inverse; 0 without elements."""
    return np.linalg.cond(self, p) if self.size else np.zeros(self.shape[:-2])


def reflected(input: Any = None, tau: Any = None, **rest: Any) -> Any:
    """Products of whole Householder matrices."""
    a, factors = rest.get("self", input), rest.get("input2", tau)
    if a.ndim > 2:
        return np.stack([reflected(one, t) for one, t in zip(a, factors, strict=True)])
    result = np.eye(len(a))
    for i, factor in enumerate(factors):
        v = np.concatenate([np.zeros(i), [1], a[i + 1 :, i]])
        result = result @ (np.eye(len(a)) - factor * np.outer(v, v.conj()))
    return result[:, : a.shape[1]]


def norm(self: Any, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
    """A norm of vectors or matrices."""
    if ord is None or (dim is None and self.ndim not in (1, 2)):
        return np.linalg.norm(self)
    axis = None if dim is None else dim if isinstance(dim, int) else tuple(dim)
    return np.linalg.norm(self, ord, axis, keepdim)


def vector_norm(self: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """A norm of vectors."""
    return np.linalg.vector_norm(self, ord=ord, axis=tuple(dim) if isinstance(dim, list) else dim, keepdims=keepdim)


def matrix_norm(self: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """A norm of matrices."""
    return np.linalg.norm(self, ord, tuple(dim), keepdim)


def lu(A: Any) -> Any:
    """P, L and U of each matrix by SciPy."""
    return tuple(linalg.lu(A))


def lu_packed(A: Any) -> Any:
    """L below the diagonal, U from it on."""
    lower, upper = (np.zeros_like(A) for _ in range(2))
    _, left, right = lu(A)
    lower[..., : left.shape[-1]], upper[..., : right.shape[-2], :] = left, right
    return np.tril(lower, -1) + upper, None


def first_zero(a: Any) -> Any:
    """The first zero on the diagonal of U, counted from 1; 0 if there is none."""
    diagonal = np.diagonal(lu_packed(a)[0], 0, -2, -1)
    return np.where((diagonal == 0).any(-1), (diagonal == 0).argmax(-1) + 1, 0)


def exchanged(pivots: Any, rows: int) -> Any:
    """The order of the rows after all exchanges."""
    if pivots.ndim > 1:
        return np.stack([exchanged(one, rows) for one in pivots])
    order = list(range(rows))
    for i, other in enumerate(pivots):
        order[i], order[other - 1] = order[other - 1], order[i]
    return np.array(order)


def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U of one matrix."""
    size = min(LU_data.shape)
    order = np.eye(len(LU_data))[:, exchanged(LU_pivots, len(LU_data))] if unpack_pivots else np.zeros(0)
    return order, np.tril(LU_data[:, :size], -1) + np.eye(len(LU_data), size), np.triu(LU_data[:size])


def lu_solve(LU: Any, pivots: Any, B: Any, left: bool = True, adjoint: bool = False) -> Any:
    """The product of the three matrices, inverted."""
    if LU.ndim > 2:
        return np.stack([lu_solve(one, swaps, B, left, adjoint) for one, swaps in zip(LU, pivots, strict=True)])
    order, lower, upper = lu_unpack(LU, pivots)
    a = order @ lower @ upper
    back = np.linalg.inv(a.conj().T if adjoint else a)
    return back @ B if left else B @ back


DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    "linalg_vector_norm": vector_norm,
    "linalg_matrix_norm": matrix_norm,
    "linalg_norm": norm,
    "linalg_svd": lambda A, full_matrices=True: (None, svdvals(A), None),
    "linalg_svdvals": lambda A: svdvals(A),
    "svd": lambda self, some=True, compute_uv=True: (None, svdvals(self), None),
    "hermitian_eigen": lambda self: (values_of(self), None),
    "linalg_eigh": lambda self, UPLO="L": (values_of(self, UPLO), None),
    "hermitian_eigenvalues": lambda self: values_of(self),
    "linalg_eigvalsh": lambda self, UPLO="L": values_of(self, UPLO),
    "linalg_eig": lambda self: (np.linalg.eigvals(self), None),
    "linalg_eigvals": lambda self: np.linalg.eigvals(self),
    "linalg_qr": lambda A, mode="reduced": tuple(np.linalg.qr(A, mode)),
    "qr": lambda self: tuple(np.linalg.qr(self)),
    "linalg_pinv": pinv,
    "pinverse": pinv,
    "linalg_matrix_rank": rank,
    "linalg_lstsq": lstsq,
    "linalg_cond": condition,
    "linalg_matrix_power": lambda self, n: np.linalg.matrix_power(self, n),
    "matrix_power": lambda self, n: np.linalg.matrix_power(self, n),
    "linalg_matrix_exp": lambda self: linalg.expm(self) if self.size else self,
    "matrix_exp": lambda self: linalg.expm(self),
    "linalg_tensorsolve": lambda self, other, dims=None: np.linalg.tensorsolve(self, other, dims),
    "linalg_tensorinv": lambda self, ind=2: np.linalg.tensorinv(self, ind),
    "linalg_householder_product": reflected,
    "orgqr": reflected,
    "lu_packed": lambda self, check_errors: (*lu_packed(self), np.zeros(self.shape[:-2], np.int32)),
    "row_order": exchanged,
    "linalg_lu_factor": lambda A: lu_packed(A),
    "linalg_lu_factor_ex": lambda A: (*lu_packed(A), np.zeros(A.shape[:-2], np.int32)),
    "linalg_lu": lambda A: lu(A),
    "lu": lambda self, get_infos=False: (*lu_packed(self), first_zero(self))[: 2 + get_infos],
    "lu_unpack": lu_unpack,
    "linalg_lu_solve": lu_solve,
    "lu_solve": lambda self, LU_data, LU_pivots: lu_solve(LU_data, LU_pivots, self),
}
