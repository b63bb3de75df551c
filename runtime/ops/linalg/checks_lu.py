"""Argument checks of the LU decomposition and of solving with it."""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError
from ...tensor.shapes import broadcast_shapes
from .checks import matrices_of, require_floating, require_matrix, require_square


def lu(op: str, A: Any, pivot: bool, *rest: Any) -> tuple[Any, ...]:
    """Matrices of floats; rows are always exchanged, as on every CPU."""
    matrices_of(op, A)
    if not pivot:
        raise RuntimeError(f"{op}(): LU without pivoting is not implemented on the CPU: got pivot=False")
    return A, pivot, *rest


def lu_solve(op: str, LU: Any, pivots: Any, B: Any, *rest: Any) -> tuple[Any, ...]:
    """Square packed factors with their exchanges, and matrices whose rows (or columns, by `left`) are as many."""
    require_floating(op, LU, B)
    require_square(op, "LU", LU)
    require_matrix(op, "B", B)
    _require_exchanges(op, LU, pivots)
    left = rest[0] if rest else True
    if B._shape[-2 if left else -1] != LU._shape[-1]:
        raise ShapeError(f"{op}(): Incompatible shapes of LU and B: {list(LU._shape)} and {list(B._shape)}")
    batch = broadcast_shapes(op, LU._shape[:-2], B._shape[:-2])
    return LU, pivots, B.expand((*batch, *B._shape[-2:])), *rest


def _require_exchanges(op: str, LU: Any, pivots: Any) -> None:
    """Integers, one for each row or column of each matrix."""
    if pivots.dtype.kind != "i":
        raise RuntimeError(f"{op}(): Expected pivots to be integers, got {pivots.dtype!r}")
    if tuple(pivots._shape) != (*LU._shape[:-2], min(LU._shape[-2:])):
        raise ShapeError(
            f"{op}(): Number of pivots per batch should be same as the dimension of the matrix: got shapes "
            f"{list(LU._shape)} and {list(pivots._shape)}"
        )


def old_lu_solve(op: str, self: Any, LU_data: Any, LU_pivots: Any) -> tuple[Any, ...]:
    """Matrices B, and square packed factors of as many rows with their exchanges."""
    LU_data, LU_pivots, self = lu_solve(op, LU_data, LU_pivots, self)
    return self, LU_data, LU_pivots


def lu_unpack(op: str, LU_data: Any, LU_pivots: Any, unpack_data: bool, unpack_pivots: bool) -> tuple[Any, ...]:
    """Packed factors with their exchanges."""
    matrices_of(op, LU_data)
    if unpack_pivots:
        _require_exchanges(op, LU_data, LU_pivots)
    return LU_data, LU_pivots, unpack_data, unpack_pivots
