"""Helpers of composites that join tensors, cut them at places, and turn and repeat them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def joined_at_least(tensors: Sequence[Tensor], least: int, dim: int) -> Tensor:
    """The tensors with at least as many dimensions, one after the other along `dim`; vectors along their only one."""
    widened = (op.atleast_1d, op.atleast_2d, op.atleast_3d)[least - 1]
    parts = [widened(t) for t in tensors]
    return op.cat(parts, min(dim, parts[0].ndim - 1))


def stacked_columns(tensors: Sequence[Tensor]) -> Tensor:
    """Numbers and vectors as columns, beside what has columns."""
    return op.cat([t.reshape((t.numel(), 1)) if t.ndim < 2 else t for t in tensors], 1)


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


def repeated_each(self: Tensor, repeats: int, dim: int | None) -> Tensor:
    """Each slice along a dimension `repeats` times: expanded along a new dimension behind it, and made one with it."""
    if dim is None:
        return repeated_each(self.flatten(), repeats, 0)
    shape = tuple(self._shape)
    expanded = self.unsqueeze(dim + 1).expand((*shape[: dim + 1], repeats, *shape[dim + 1 :]))
    return expanded.clone().view((*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :]))


def repeated_by(self: Tensor, repeats: Tensor, dim: int | None, output_size: int | None) -> Tensor:
    """Slice i along a dimension repeats[i] times; one number of repeats is for all."""
    if dim is None:
        return repeated_by(self.flatten(), repeats, 0, output_size)
    counts = repeats.reshape((1,)).expand((self._shape[dim],)) if repeats.numel() == 1 else repeats
    return self.index_select(dim, op.repeat_interleave(counts, output_size=output_size))
