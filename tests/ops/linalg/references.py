"""References of linear algebra. What is only determined up to signs is not compared."""

from collections.abc import Callable
from typing import Any

import numpy as np


def addr(self: Any, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta M + alpha x y^T."""
    return alpha * np.outer(vec1, vec2) + (beta * self if beta else np.zeros_like(self))


def cross(self: Any, other: Any, dim: int | None = -1) -> Any:
    """The cross product along one dimension."""
    dim = self.shape.index(3) if dim is None else dim
    return np.cross(self, other, axis=dim)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = 0) -> Any:
    """x^T W_k z + b_k."""
    return np.einsum("...i,kij,...j->...k", input1, weight, input2) + bias


def solve(A: Any, B: Any, left: bool = True, check_errors: bool = False) -> Any:
    """A^-1 B, or B A^-1."""
    back = np.linalg.inv(A)
    if not left:
        return B @ back
    vector = B.ndim == 1 or B.shape == A.shape[:-1]
    return (back @ B[..., None])[..., 0] if vector else back @ B


def solve_triangular(
    self: Any,
    B: Any,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Any:
    """The same for one triangle of A."""
    part = np.triu(self, int(unitriangular)) if upper else np.tril(self, -int(unitriangular))
    return solve(part + (np.eye(self.shape[-1]) if unitriangular else 0), B, left)


def old_triangular_solve(
    self: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The same under its older name, with a copy of A."""
    transposed = A.swapaxes(-2, -1) if transpose else A
    found = solve_triangular(transposed, self, upper != transpose, unitriangular=unitriangular)
    return found, np.broadcast_to(A, (*found.shape[:-2], *A.shape[-2:]))


def cholesky(self: Any, upper: bool = False, check_errors: bool = False) -> Any:
    """Each matrix from its lower or upper triangle; nan where it is not positive-definite."""
    lower = self.conj().swapaxes(-2, -1) if upper else self
    try:
        found = np.linalg.cholesky(lower)
    except np.linalg.LinAlgError:
        found = np.full_like(lower, np.nan)
    return found.conj().swapaxes(-2, -1) if upper else found


def cholesky_solve(self: Any, input2: Any, upper: bool = False) -> Any:
    """(L L^H)^-1 B."""
    back = solve_triangular(input2, np.eye(input2.shape[-1]), upper)
    half = back @ back.conj().swapaxes(-2, -1) if upper else back.conj().swapaxes(-2, -1) @ back
    return half @ self


def cofactors(self: Any) -> Any:
    """det(A) A^-T."""
    return np.linalg.det(self)[..., None, None] * np.linalg.inv(self).swapaxes(-2, -1)


def with_info(function: Callable[..., Any]) -> Callable[..., Any]:
    """What was computed, and that nothing went wrong."""
    return lambda self=None, A=None, **rest: (
        function(A if self is None else self, **rest),
        np.zeros((A if self is None else self).shape[:-2], np.int64),
    )


LINALG: dict[str, Callable[..., Any]] = {
    "einsum": lambda equation, operands: np.einsum(equation, *operands),
    "tensordot": lambda self, other, dims_self, dims_other: np.tensordot(self, other, (dims_self, dims_other)),
    "inner": lambda self, other: np.inner(self, other),
    "vdot": lambda self, other: np.vdot(self, other),
    "linalg_vecdot": lambda x, y, dim=-1: (np.conj(x) * y).sum(dim),
    "kron": lambda self, other: np.kron(self, other),
    "addr": addr,
    "cross": lambda self, other, dim=None: cross(self, other, dim),
    "linalg_cross": cross,
    "linalg_multi_dot": lambda tensors: np.linalg.multi_dot(tensors),
    "linalg_vander": lambda x, N=None: np.atleast_1d(x)[..., None] ** np.arange(x.shape[-1] if N is None else N),
    "linalg_diagonal": lambda A, offset=0, dim1=-2, dim2=-1: np.diagonal(A, offset, dim1, dim2),
    "linalg_matmul": lambda self, other: self @ other,
    "bilinear": bilinear,
    "linalg_inv": lambda A: np.linalg.inv(A),
    "inverse": lambda self: np.linalg.inv(self),
    "linalg_inv_ex": with_info(lambda A, check_errors=False: np.linalg.inv(A)),
    "solve_matrices": with_info(solve),
    "linalg_solve": solve,
    "linalg_solve_ex": with_info(solve),
    "solve_triangular_matrices": lambda A, B, **rest: solve_triangular(A, B, **rest),
    "linalg_solve_triangular": solve_triangular,
    "triangular_solve": old_triangular_solve,
    "linalg_det": lambda A: np.linalg.det(A),
    "det": lambda self: np.linalg.det(self),
    "cofactors": cofactors,
    "linalg_slogdet": lambda A: tuple(np.linalg.slogdet(A)),
    "slogdet": lambda self: tuple(np.linalg.slogdet(self)),
    "logdet": lambda self: np.log(np.linalg.det(self)),
    "cholesky_factor": lambda self, check_errors: (cholesky(self), None),
    "linalg_cholesky": cholesky,
    "linalg_cholesky_ex": with_info(cholesky),
    "cholesky": cholesky,
    "cholesky_solve": cholesky_solve,
    "cholesky_inverse": lambda self, upper=False: cholesky_solve(np.eye(self.shape[-1]), self, upper),
}
