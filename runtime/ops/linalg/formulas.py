"""Helpers of the formulas of inverses, linear systems, determinants and Cholesky's decomposition."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...modes.intercept import watch
from ...namespace import op
from ...tensor.shapes import broadcast_shapes
from ..matmul.formulas import adjoint

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Pair: TypeAlias = tuple[Tensor, Tensor]


def hermitian_input(x: Tensor) -> Tensor:
    """x itself, of which one triangle will be read, with the gradient of a function of (x + x^H) / 2.

    So the gradient of a Hermitian matrix is one, as though both triangles had been read.
    """
    if not (x._rg or watch.active):
        return x
    middle = (x + adjoint(x)) / 2
    return middle + (x - middle).detach()


def of_lower(x: Tensor) -> Tensor:
    """The Hermitian matrix with the lower triangle of x, and the real part of its diagonal."""
    half = (x.tril() + x.tril(-1)) / 2
    return half + adjoint(half)


def half_lower(x: Tensor) -> Tensor:
    """The lower triangle of x with half its diagonal."""
    return (x.tril() + x.tril(-1)) / 2


def lower_slope(grad: Tensor) -> Tensor:
    """The gradient of x from that of `of_lower(x)`."""
    both = grad + adjoint(grad)
    return (both.tril() + both.tril(-1)) / 2


def is_vector(a: Tensor, b: Tensor) -> bool:
    """Whether `b` is a vector for each matrix of `a`, not a matrix."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and tuple(b._shape) == tuple(a._shape[:-1]))


def with_batch_of(x: Tensor, other: Tensor) -> Tensor:
    """Matrices expanded to the batch that they and others broadcast to."""
    batch, others = x._shape[:-2], other._shape[:-2]
    return x if batch == others else x.expand((*broadcast_shapes("expand", batch, others), *x._shape[-2:]))


def broadcast_batches(name: str, a: Tensor, b: Tensor) -> Pair:
    """Matrices A and B in the batch dimensions that both broadcast to."""
    if a._shape[:-2] == b._shape[:-2]:
        return a, b
    batch = broadcast_shapes(name, a._shape[:-2], b._shape[:-2])
    return a.expand((*batch, *a._shape[-2:])), b.expand((*batch, *b._shape[-2:]))


def triangle(x: Tensor, upper: bool, unitriangular: bool) -> Tensor:
    """The triangle of a matrix that is read."""
    return x.triu(int(unitriangular)) if upper else x.tril(-int(unitriangular))


def identity_of(x: Tensor) -> Tensor:
    """The identity matrix for each matrix of a batch."""
    return op.eye(x._shape[-1], dtype=x.dtype).expand(x._shape)
