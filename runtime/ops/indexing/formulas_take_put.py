"""Helpers of composites that read and write at places of the flattened tensor, along a dimension, or in a region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op
from ...tensor import dtypes
from ...tensor.shapes import broadcast_shapes

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def elements_at(self: Tensor, index: Tensor) -> Tensor:
    """x.flatten()[index], in the shape of `index`: negative places count from the end."""
    return op.index(self.flatten(), [op.checked_places(index, 0, self.numel(), "take", True)])


def unraveled(indices: Tensor, shape: Ints) -> tuple[Tensor, ...]:
    """Places along each dimension, from the last one: remainders, and what is left over for those before."""
    found = []
    for size in reversed(shape):
        found.append(op.remainder(indices, max(size, 1)))
        indices = op.floor_divide(indices, max(size, 1))
    return tuple(reversed(found))


def broadcast_beside(op_name: str, dim: int, first: Ints, second: Ints) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both shapes broadcast with each other in all dimensions but `dim`, where each keeps its own size."""
    alone = ((*shape[:dim], 1, *shape[dim + 1 :]) for shape in (first, second))
    common = broadcast_shapes(op_name, *alone)
    return (*common[:dim], first[dim], *common[dim + 1 :]), (*common[:dim], second[dim], *common[dim + 1 :])


def indices_along(dim: int, places: Tensor) -> list[Tensor | None]:
    """The indices of the slices at `places` along a dimension: whole dimensions before it."""
    return [*(None,) * dim, places]


def slice_mask(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """A mask that broadcasts to the tensor: true in the slices at `index` along a dimension."""
    size = self._shape[dim] if self.ndim else 1
    places = op.checked_places(index.reshape((-1,)), dim, size, "index_fill", True)
    no = op.zeros((size,), dtype=dtypes.bool_, device=self.device)
    mask = op.index_put(no, [places], op.ones((), dtype=dtypes.bool_, device=self.device))
    return along_dim(mask, dim, self.ndim)


def full_of(like: Tensor, shape: Ints, value: Any) -> Tensor:
    """One number in a shape, with the dtype and device of `like`."""
    return op.full(tuple(shape), value, dtype=like.dtype, device=like.device)


def along_dim(x: Tensor, dim: int, ndim: int) -> Tensor:
    """A vector laid along a dimension, so that it broadcasts with `ndim` dimensions; of 0 dimensions its one number."""
    return x.reshape((-1, *(1,) * (ndim - dim - 1)) if ndim else ())


def trues_like(x: Tensor) -> Tensor:
    """True for each element."""
    return op.ones(x._shape, dtype=dtypes.bool_, device=x.device)
