"""Helpers of composites that read and write at places of the flattened tensor, along a dimension, or in a region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from .. import dtypes
from ..namespace import op
from ..shapes import broadcast_shapes

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def elements_at(self: Tensor, index: Tensor) -> Tensor:
    """The elements at places of the flattened tensor."""
    return op.index(self.flatten(), [op.checked_places(index, 0, self.numel(), "take", True)])


def unraveled(indices: Tensor, shape: Ints) -> tuple[Tensor, ...]:
    """Places along each dimension, from the last one: remainders, and what is left over for those before."""
    found = []
    for size in reversed(shape):
        found.append(op.remainder(indices, max(size, 1)))
        indices = op.floor_divide(indices, max(size, 1))
    return tuple(reversed(found))


def gathered_along(self: Tensor, indices: Tensor, dim: int | None) -> Tensor:
    """The elements at places along a dimension, which count round and round; all other sizes broadcast."""
    if dim is None:
        return gathered_along(self.flatten(), indices.flatten(), 0)
    shape = broadcast_shapes("take_along_dim", _without(self._shape, dim), _without(indices._shape, dim))
    wide = [(*shape[:dim], size, *shape[dim + 1 :]) for size in (self._shape[dim], indices._shape[dim])]
    places = op.remainder(indices, max(self._shape[dim], 1))
    return self.expand(wide[0]).gather(dim, places.expand(wide[1]))


def _without(shape: Ints, dim: int) -> tuple[int, ...]:
    return (*shape[:dim], 1, *shape[dim + 1 :])


def with_slices(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The tensor with slices along a dimension replaced."""
    if not self.ndim:
        return with_slices(self.reshape((1,)), 0, index, source.reshape((1,))).view(())
    places = op.checked_places(index.reshape((-1,)), dim, self._shape[dim], "index_copy", False)
    shape = (*self._shape[:dim], index.numel(), *self._shape[dim + 1 :])
    return op.index_put(self, [*(None,) * dim, places], source.reshape(shape))


def slice_mask(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """A mask that broadcasts to the tensor: true in the slices at `index` along a dimension."""
    size = self._shape[dim] if self.ndim else 1
    places = op.checked_places(index.reshape((-1,)), dim, size, "index_fill", True)
    no = op.zeros((size,), dtype=dtypes.bool_, device=self.device)
    mask = op.index_put(no, [places], op.ones((), dtype=dtypes.bool_, device=self.device))
    return mask.reshape((size, *(1,) * (self.ndim - dim - 1)) if self.ndim else ())


def full_of(like: Tensor, shape: Ints, value: Any) -> Tensor:
    """One number in a shape, with the dtype and device of `like`."""
    return op.full(tuple(shape), value, dtype=like.dtype, device=like.device)


def scattered_by(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> Tensor:
    """Elements added or multiplied into places."""
    if reduce == "add":
        return self.scatter_add(dim, index, src)
    return op.scatter_reduce(self, dim, index, src, "prod")


def slices_reduced(self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool) -> Tensor:
    """Slices reduced into those at `index`: for each of their elements the same place."""
    size = self._shape[dim] if self.ndim else 1
    places = op.checked_places(index.reshape((-1,)), dim, size, "index_reduce", False)
    spread = places.reshape((-1, *(1,) * (self.ndim - dim - 1)) if self.ndim else ()).expand(source._shape)
    return op.scatter_reduce(self, dim, spread, source, reduce, include_self=include_self)


def with_masked(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of the source, one after the other, where the mask is true."""
    shape = broadcast_shapes("masked_scatter", self._shape, mask._shape)
    order = op.order_of_true(mask.expand(shape), source.numel(), 0)
    if not source.numel():
        return self.expand(shape).clone()
    return op.where(mask, op.index(source.flatten(), [order]), self)


def with_region(self: Tensor, src: Tensor, embed: str, *where: Any) -> Tensor:
    """The tensor with a region replaced; `embed` names the transpose of taking the region."""
    inside = op.ones(src._shape, dtype=dtypes.bool_, device=self.device)
    embedded = [getattr(op, embed)(part, self._shape, *where) for part in (inside, src.to(self.dtype))]
    return op.where(*embedded, self)


def with_layout(self: Tensor, src: Tensor, size: Ints, stride: Ints, offset: int) -> Tensor:
    """The tensor with what as_strided would show replaced."""
    own = self._shape, self.stride(), self.storage_offset()
    inside = op.ones(size, dtype=dtypes.bool_, device=self.device)
    embedded = [op.restride(part, stride, offset, *own) for part in (inside, src.to(self.dtype))]
    return op.where(*embedded, self)
