"""Argument rules of the L D L^T decomposition and of solving with it."""

from __future__ import annotations

from typing import Any

from ..errors import ShapeError
from ..shapes import broadcast_shapes
from .solving import require_floating, require_matrix, require_square


def ldl(op: str, input: Any, *rest: Any) -> tuple[Any, ...]:
    """Square matrices of floats, of which the lower triangle is read."""
    require_floating(op, input)
    require_square(op, "A", input)
    return input, *rest


def ldl_solve(op: str, LD: Any, pivots: Any, B: Any, hermitian: bool) -> tuple[Any, ...]:
    """Square packed factors with their exchanges, integers, and matrices of as many rows; batches broadcast."""
    require_floating(op, LD, B)
    require_square(op, "A", LD)
    require_matrix(op, "B", B)
    if pivots.dtype.kind != "i":
        raise RuntimeError(f"{op}(): Expected pivots to be integers, got {pivots.dtype!r}")
    if pivots._shape != LD._shape[:-1]:
        raise ShapeError(
            f"{op}(): Expected LD.shape[:-1] and pivots.shape to be the same, but got {list(LD._shape)} and pivots "
            f"with shape {list(pivots._shape)} instead"
        )
    if B._shape[-2] != LD._shape[-1]:
        raise ShapeError(
            f"{op}(): Incompatible matrix sizes: each A matrix is {LD._shape[-1]} by {LD._shape[-1]} but each b matrix "
            f"is {B._shape[-2]} by {B._shape[-1]}"
        )
    batch = broadcast_shapes(op, LD._shape[:-2], B._shape[:-2])
    factors, exchanges = LD.expand((*batch, *LD._shape[-2:])), pivots.expand((*batch, pivots._shape[-1]))
    return factors, exchanges, B.expand((*batch, *B._shape[-2:])), hermitian


def ldl_solved(op: str, LD: Any, pivots: Any, B: Any, hermitian: bool) -> tuple[Any, ...]:
    """The same of one batch: nothing broadcasts any longer."""
    if LD._shape[:-2] != B._shape[:-2]:
        raise ShapeError(f"{op}(): expected one batch, but got shapes {list(LD._shape)} and {list(B._shape)}")
    return ldl_solve(op, LD, pivots, B, hermitian)
