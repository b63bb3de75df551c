"""Composites of indexing in place: ops that write to the tensor itself where the composite would copy all of it.

A helper is found by the name of its op: `write_` and that. What it gets has been checked as the composite's arguments,
and it returns the tensor. In the graph there are the nodes of the ops that it calls.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op
from ...tensor.devices import CPU

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def write_masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source`, one after the other, written where `mask` is true."""
    if self._device is not CPU or not self.ndim:
        return self.copy_(op.masked_scatter(self, mask, source))
    where = mask.expand(self._shape)
    count = int(op.count_nonzero(where).item())
    if not count or count > source.numel():  # nothing to write, or too little: the composite says so
        return self.copy_(op.masked_scatter(self, mask, source))
    return op.index_put_(self, [where], _apart_from(self, source).flatten().narrow(0, 0, count))


def _apart_from(self: Tensor, source: Tensor) -> Tensor:
    """A source, or a copy of one that lies in the memory that is to be written to."""
    return op.clone(source) if source._storage is self._storage else source
