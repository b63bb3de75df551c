"""Helpers of composites that join tensors, cut them at places, and turn and repeat them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def with_dims(tensors: Sequence[Tensor], least: int) -> list[Tensor]:
    """The tensors with at least 1, 2 or 3 dimensions: a vector is a row, a matrix has a last dimension of size 1."""
    widened = (op.atleast_1d, op.atleast_2d, op.atleast_3d)[least - 1]
    return [widened(t) for t in tensors]


def as_columns(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Numbers and vectors as matrices of one column; all others as they are."""
    return [t.reshape((t.numel(), 1)) if t.ndim < 2 else t for t in tensors]


def even_places(size: int, sections: int) -> list[int]:
    """Where pieces of `size` begin, from the second on; the first ones are larger by one where they cannot be equal."""
    least, larger = divmod(size, sections)
    return [i * least + min(i, larger) for i in range(1, sections)]


def each_apart(self: Tensor, pieces: Sequence[Tensor], dim: int) -> tuple[Tensor, ...]:
    """Pieces along a dimension, each as a slice of its own: those that one op gives together may not be written to."""
    ends = list(itertools.accumulate(piece._shape[dim] for piece in pieces))
    return tuple(op.slice(self, dim, i, j) for i, j in zip((0, *ends), ends, strict=False))


def split_at(self: Tensor, indices: Ints, dim: int) -> tuple[Tensor, ...]:
    """The slices between neighbouring indices, which are those of Python: negative ones count from the end."""
    return tuple(op.slice(self, dim, i, j) for i, j in zip((0, *indices), (*indices, self._shape[dim]), strict=True))


def rotated(self: Tensor, quarters: int, dims: Ints) -> Tensor:
    """Turned by quarters, from the first dimension towards the second: mirrored, with dimensions swapped."""
    first, second = dims
    if quarters % 2 == 0:
        return self.flip((first, second)) if quarters else self.clone()
    return self.flip((second if quarters == 1 else first,)).transpose(first, second)
