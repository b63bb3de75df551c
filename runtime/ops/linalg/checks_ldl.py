"""Argument checks of solving with the decomposition of symmetric matrices."""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError
from ...tensor.shapes import broadcast_shapes
from .checks import require_floating, require_matrix, require_square


def ldl_solve(op: str, LD: Any, pivots: Any, B: Any, hermitian: bool) -> tuple[Any, ...]:
    """Square packed factors with their exchanges, and matrices of as many rows; batches broadcast."""
    require_floating(op, LD, B)
    require_square(op, "LD", LD)
    require_matrix(op, "B", B)
    if B._shape[-2] != LD._shape[-1]:
        raise ShapeError(f"{op}(): Incompatible matrix sizes of LD and B: {list(LD._shape)} and {list(B._shape)}")
    if pivots.dtype.kind != "i":
        raise RuntimeError(f"{op}(): Expected pivots to be integers. Got {pivots.dtype!r}")
    if tuple(pivots._shape) != tuple(LD._shape[:-1]):
        raise ShapeError(
            f"{op}(): Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._shape)} and LD with shape {list(LD._shape)}"
        )
    broadcast_shapes(op, LD._shape[:-2], B._shape[:-2])
    return LD, pivots, B, hermitian
