"""Argument checks of repeating, of moving and splitting dimensions, and of matrices made from or read at a diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import ShapeError
from .checks import distinct_dims

Ints = Sequence[int]


def repeat(op: str, self: Any, repeats: Ints) -> tuple[Any, ...]:
    """One count for each dimension, and for as many new ones before them as there are more counts."""
    if len(repeats) < self.ndim:
        raise ShapeError(
            f"{op}(): number of dimensions of repeat dims ({len(repeats)}) can not be smaller than number of "
            f"dimensions of tensor ({self.ndim}), got repeats {list(repeats)}"
        )
    require_counts(op, repeats)
    return self, repeats


def tile(op: str, self: Any, dims: Ints) -> tuple[Any, ...]:
    """Fewer counts than dimensions are those of the last ones."""
    require_counts(op, dims)
    return self, (*(1,) * (self.ndim - len(dims)), *dims)


def require_counts(op: str, counts: Ints) -> None:
    """Nothing can be repeated less than 0 times."""
    if min(counts, default=0) < 0:
        raise ShapeError(f"{op}(): trying to create tensor with negative dimension: got counts {list(counts)}")


def unflatten(op: str, self: Any, dim: int, sizes: Ints) -> tuple[Any, ...]:
    """Wraps `dim` and completes `sizes`, which must multiply to its size."""
    dim = wrap_dim(op, dim, self.ndim, False)
    size = self._shape[dim]
    if not sizes:
        raise RuntimeError(f"{op}(): sizes must be non-empty")
    known = prod(n for n in sizes if n != -1)
    if list(sizes).count(-1) > 1 or min(sizes) < -1:
        raise ShapeError(f"{op}(): expected sizes of which at most one is -1, got {list(sizes)}")
    if known != size and not (-1 in sizes and known and size % known == 0):
        raise ShapeError(f"{op}(): provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({size})")
    return self, dim, tuple(size // (known or 1) if n == -1 else n for n in sizes)


def movedim(op: str, self: Any, source: Ints, destination: Ints) -> tuple[Any, ...]:
    """As many places to go to as dimensions that go; each named once."""
    if len(source) != len(destination):
        raise RuntimeError(
            f"{op}(): Invalid source or destination dims: source ({list(source)} dims) should contain the same number "
            f"of dims as destination ({list(destination)} dims)"
        )
    return self, distinct_dims(op, source, self.ndim), distinct_dims(op, destination, self.ndim)


def diag(op: str, self: Any, diagonal: int) -> tuple[Any, ...]:
    """A vector or a matrix."""
    if self.ndim not in (1, 2):
        raise RuntimeError(f"{op}(): Supports 1D or 2D tensors. Got {self.ndim}D")
    return self, diagonal


def matrix(op: str, self: Any) -> tuple[Any, ...]:
    """A matrix."""
    if self.ndim != 2:
        raise RuntimeError(f"{op}(): expected a matrix, but got tensor with dim {self.ndim}")
    return (self,)


def fill_diagonal(op: str, self: Any, fill_value: Any, wrap: bool) -> tuple[Any, ...]:
    """Two dimensions, or more that are equally long."""
    if self.ndim < 2:
        raise ShapeError(f"{op}(): expected at least 2 dimensions, but got shape {list(self.shape)}")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise ShapeError(f"{op}(): all dimensions of input must be of equal length, but got {list(self.shape)}")
    return self, fill_value, wrap
