"""Helpers of composites that repeat tensors, move and split dimensions, and fill diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def tiled(self: Tensor, repeats: Ints) -> Tensor:
    """The tensor once for each step of `repeats`: expanded along a new dimension beside each, and copied."""
    shape = (1,) * (len(repeats) - self.ndim) + tuple(self._shape)
    paired = [size for own in shape for size in (1, own)]
    expanded = [size for count, own in zip(repeats, shape, strict=True) for size in (count, own)]
    copy = self.reshape(paired).expand(expanded).clone()
    return copy.view(tuple(count * own for count, own in zip(repeats, shape, strict=True)))


def unflattened(shape: Ints, dim: int, sizes: Ints) -> tuple[int, ...]:
    """`shape` with `sizes` in the place of dimension `dim`."""
    return (*shape[:dim], *sizes, *shape[dim + 1 :])


def moved_order(ndim: int, source: Ints, destination: Ints) -> tuple[int, ...]:
    """The permutation that puts each dimension of `source` at its `destination`, the others in their order."""
    places = dict(zip(destination, source, strict=True))
    others = iter(dim for dim in range(ndim) if dim not in source)
    return tuple(places[place] if place in places else next(others) for place in range(ndim))


def diagonal_matrix(self: Tensor, diagonal: int) -> Tensor:
    """Zeros with a vector on a diagonal."""
    size = self._shape[0] + abs(diagonal)
    return op.diagonal_backward(self, (size, size), diagonal, 0, 1)


def filled_diagonal(self: Tensor, value: Any, wrap: bool) -> Tensor:
    """The tensor itself, with its diagonal written: of a tall matrix one for each square, a row between them."""
    height, width = self._shape[0], self._shape[-1]
    period = width + 1 if wrap and self.ndim == 2 else max(height, 1)
    for start in range(0, height, period):
        diagonal = self.narrow(0, start, min(width, height - start) if self.ndim == 2 else height)
        while diagonal.ndim > 1:
            diagonal = op.diagonal(diagonal, 0, 0, -1)
        diagonal.fill_(value)
    return self
