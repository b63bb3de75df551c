"""Argument checks of norms, ranks and powers of matrices, and of least squares."""

from collections.abc import Sequence
from math import inf, prod
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...errors import DimensionError, ShapeError
from ..reduction.checks import all_dims
from .checks import matrices_of, require_floating, require_matrix, require_square

ORDERS = ("fro", "nuc", inf, -inf, 1, -1, 2, -2)


def vector_norm(op: str, self: Any, ord: Any, dim: Sequence[int] | None, keepdim: bool, dtype: Any) -> tuple[Any, ...]:
    """Floats, a real order; dimensions in range. A norm of no elements is there for a finite order above 0 only."""
    require_floating(op, self)
    if isinstance(ord, complex):
        raise RuntimeError(f"{op}(): Expected a non-complex scalar as the order of norm, got {ord}")
    dims = all_dims(op, tuple(dim) if dim else None, self.ndim)
    if (ord < 0 or ord == inf) and 0 in [self._shape[d] for d in dims]:
        raise RuntimeError(f"{op}(): cannot compute the {ord} norm over no elements: shape {list(self._shape)}")
    _require_same_category(op, self, dtype)
    return self, float(ord), dims, keepdim, dtype


def _require_same_category(op: str, x: Any, dtype: Any) -> None:
    if dtype is not None and dtype.kind != x.dtype.kind:
        raise RuntimeError(f"{op}(): dtype should be of the kind of {x.dtype!r}, but got {dtype!r}")


def matrix_norm(op: str, self: Any, ord: Any, dim: Sequence[int], keepdim: bool, dtype: Any) -> tuple[Any, ...]:
    """Floats; the order is 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2; two different dimensions."""
    require_floating(op, self)
    require_matrix(op, "A", self)
    if ord not in ORDERS:
        raise RuntimeError(f"{op}(): Order {ord} not supported.")
    if len(dim) != 2:
        raise RuntimeError(f"{op}(): dim must be a 2-tuple. Got {list(dim)}")
    dims = tuple(wrap_dim(op, d, self.ndim) for d in dim)
    if dims[0] == dims[1]:
        raise RuntimeError(f"{op}(): dims must be different. Got ({dim[0]}, {dim[1]})")
    rows, columns = (self._shape[d] for d in dims)
    if self.numel() == prod(self._shape[d] for d in dims) and _is_min_of_empty(ord, rows, columns):
        raise DimensionError(f"{op}(): there is no {ord} norm of matrices without elements: {list(self._shape)}")
    _require_same_category(op, self, dtype)
    return self, ord, tuple(dim) if ord == "fro" else dims, keepdim, dtype


def _is_min_of_empty(order: Any, rows: int, columns: int) -> bool:
    """Whether an order below 0 asks for the least of no sums or singular values; the greatest of none is 0."""
    return (order == -1 and not columns) or (order == -inf and not rows) or (order == -2 and not min(rows, columns))


def norm_of_any(op: str, self: Any, ord: Any, dim: Sequence[int] | None, keepdim: bool, dtype: Any) -> tuple[Any, ...]:
    """Floats; with an order, a vector or matrix, or one or two dimensions."""
    require_floating(op, self)
    if dim is not None and ord is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"{op}(): If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if ord is None:  # dimensions stay as they are given: so vector_norm finds again what it has found for them
        for d in dim or ():
            wrap_dim(op, d, self.ndim)
        return self, ord, None if dim is None else tuple(dim), keepdim, dtype
    dims = tuple(range(self.ndim)) if dim is None else tuple(dim)
    if len(dims) not in (1, 2):
        raise RuntimeError(f"{op}(): If dim is not specified but ord is, the input must be 1D or 2D. Got {self.ndim}D.")
    if len(dims) == 2:
        return matrix_norm(op, self, ord, dims, keepdim, dtype)
    if isinstance(ord, str):
        raise RuntimeError(f"{op}(): a vector has no norm of order {ord!r}, it takes a number")
    return vector_norm(op, self, ord, dims, keepdim, dtype)


def condition(op: str, self: Any, p: Any) -> tuple[Any, ...]:
    """Matrices of floats, square ones for orders other than 2 and -2."""
    matrices_of(op, self)
    if p is not None and p not in ORDERS:
        raise RuntimeError(f"{op}(): Order {p} not supported.")
    if p not in (None, 2, -2):
        require_square(op, "A", self)
    return self, p


def lstsq(op: str, self: Any, b: Any, rcond: float | None, driver: str | None) -> tuple[Any, ...]:
    """Matrices, and right-hand sides of as many rows; the driver is "gels", "gelsy", "gelsd" or "gelss"."""
    require_floating(op, self, b)
    require_matrix(op, "A", self)
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"{op}(): parameter `driver` should be one of (gels, gelsy, gelsd, gelss), but got {driver}")
    vector = b.ndim == self.ndim - 1
    if not vector and b.ndim != self.ndim:
        raise ShapeError(
            f"{op}(): input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1, got "
            f"shapes {list(self._shape)} and {list(b._shape)}"
        )
    if b._shape[-1 if vector else -2] != self._shape[-2] or b._shape[: self.ndim - 2] != self._shape[:-2]:
        raise ShapeError(f"{op}(): shapes {list(self._shape)} and {list(b._shape)} do not fit as A and B of A X = B")
    return self, b, rcond, driver


def overdetermined(op: str, A: Any, B: Any, rcond: float) -> tuple[Any, ...]:
    """Matrices A and B of as many rows, in batches of one shape."""
    require_floating(op, A, B)
    require_matrix(op, "A", A)
    require_matrix(op, "B", B)
    if A._shape[:-1] != B._shape[:-1]:
        raise ShapeError(f"{op}(): Incompatible shapes of A and B: {list(A._shape)} and {list(B._shape)}")
    return A, B, rcond


def tensorsolve(op: str, self: Any, other: Any, dims: Sequence[int] | None) -> tuple[Any, ...]:
    """A tensor A with equally many elements in the dimensions of B and in the others."""
    require_floating(op, self, other)
    if self.ndim < other.ndim:
        raise ShapeError(f"{op}(): Expected at least {other.ndim} dimensions of A, got shape {list(self._shape)}")
    moved = [wrap_dim(op, d, self.ndim) for d in dims or ()]
    shape = [n for d, n in enumerate(self._shape) if d not in moved]
    shape += [self._shape[d] for d in moved if d < self.ndim]
    if prod(shape[: other.ndim]) != prod(shape[other.ndim :]) or prod(other._shape) != prod(shape[: other.ndim]):
        raise ShapeError(
            f"{op}(): Expected self to satisfy the requirement prod(shape[other.ndim:]) == "
            f"prod(shape[:other.ndim]), but got shapes {list(self._shape)} and {list(other._shape)}"
        )
    return self, other, dims if self.ndim else None


def tensorinv(op: str, self: Any, ind: int) -> tuple[Any, ...]:
    """A tensor with equally many elements in the first `ind` dimensions and in the others."""
    require_floating(op, self)
    if ind <= 0:
        raise RuntimeError(f"{op}(): Expected a strictly positive integer for 'ind', got {ind}")
    if prod(self._shape[:ind]) != prod(self._shape[ind:]):
        raise ShapeError(
            f"{op}(): Expected self to satisfy the requirement prod(shape[ind:]) == prod(shape[:ind]), but "
            f"got {prod(self._shape[ind:])} != {prod(self._shape[:ind])}"
        )
    return self, ind


def householder(op: str, input: Any, tau: Any) -> tuple[Any, ...]:
    """Matrices with at least as many rows as columns, and at most as many factors as columns, of the same batch."""
    require_floating(op, input, tau)
    require_matrix(op, "A", input)
    rows, columns = input._shape[-2:]
    if rows < columns:
        raise ShapeError(
            f"{op}(): input.shape[-2] must be greater than or equal to input.shape[-1], got {rows} x {columns}"
        )
    if tau.ndim != input.ndim - 1 or tau._shape[:-1] != input._shape[:-2] or tau._shape[-1] > columns:
        raise ShapeError(
            f"{op}(): expected tau of shape (*, k) with k at most {columns} for an input of {list(input._shape)}, got "
            f"{list(tau._shape)}"
        )
    return input, tau
