"""References of linear algebra: see references.py. What is only determined up to signs is not compared."""

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
    "linalg_vander": lambda x, N=None: x[..., None] ** np.arange(x.shape[-1] if N is None else N),
    "linalg_diagonal": lambda A, offset=0, dim1=-2, dim2=-1: np.diagonal(A, offset, dim1, dim2),
    "linalg_matmul": lambda self, other: self @ other,
    "bilinear": bilinear,
}
