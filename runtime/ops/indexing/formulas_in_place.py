"""Composites of indexing in place: ops that write to the tensor itself where the composite would copy all of it.

A helper is found by the name of its op: `write_` and that. What it gets has been checked as the composite's arguments,
and it returns the tensor. In the graph there are the nodes of the ops that it calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from ...namespace import op
from ...tensor.devices import CPU
from .formulas import full_of, indices_along, slice_mask

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def write_index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The slices of `source` written to those at `index`."""
    if not self.ndim:
        return self.copy_(op.index_copy(self, dim, index, source))
    places = op.checked_indices(index.reshape((-1,)), dim, self._shape[dim], "index_copy", False)
    rows = _apart_from(self, source).reshape((*self._shape[:dim], index.numel(), *self._shape[dim + 1 :]))
    return op.index_put_(self, indices_along(dim, places), rows)


def write_index_fill(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The slices at `index` filled with a value, which a tensor gives to each of them once."""
    if hasattr(value, "dtype") or not self.ndim:
        return op.masked_fill_(self, slice_mask(self, dim, index), value)
    places = op.checked_indices(index.reshape((-1,)), dim, self._shape[dim], "index_fill", True)
    return op.index_put_(self, indices_along(dim, places), full_of(self, (), value))


def write_put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """The elements of `source` written, or added, at places of the flattened tensor."""
    places = op.checked_indices(index, 0, self.numel(), "put", True)
    elements = _apart_from(self, source).reshape(index._shape)
    if self.is_contiguous():
        op.index_put_(self.view((-1,)), [places], elements, accumulate)
        return self
    return op.index_put_(self, _coordinates(self._shape, places), elements, accumulate)


def _coordinates(shape: Sequence[int], places: Tensor) -> list[Tensor]:
    """Indices along each dimension of the elements that stand at places of the flattened tensor."""
    if len(shape) < 2:
        return [places]
    found = []
    for dim in range(len(shape)):
        whole = places if dim == 0 else op.remainder(places, prod(shape[dim:]))
        found.append(op.floor_divide(whole, prod(shape[dim + 1 :])) if dim + 1 < len(shape) else whole)
    return found


def write_masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source`, one after the other, written where `mask` is true."""
    if self._device is not CPU or not self.ndim:
        return self.copy_(op.masked_scatter(self, mask, source))
    count = int(op.count_nonzero(mask).item())
    if not count or count > source.numel():  # nothing to write, or too little: the composite says so
        return self.copy_(op.masked_scatter(self, mask, source))
    return op.index_put_(self, [mask], _apart_from(self, source).flatten().narrow(0, 0, count))


def _apart_from(self: Tensor, source: Tensor) -> Tensor:
    """A source, or a copy of one that lies in the memory that is to be written to."""
    return op.clone(source) if source._storage is self._storage else source
