"""Helpers of the formulas of indexing ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..namespace import op
from ..shapes import broadcast_shapes

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def zeros_of(like: Tensor, shape: Ints) -> Tensor:
    """Zeros of a shape, with the dtype and device of `like`."""
    return op.zeros(shape, dtype=like.dtype, device=like.device)


def zero_at(grad: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """grad with zeros at `indices`, where the input was overwritten."""
    return op.index_put(grad, indices, zeros_of(grad, ()))


def gather_to(grad: Tensor, dim: int, index: Tensor, shape: Ints) -> Tensor:
    """What scatter's source gets: grad at `index`, and zeros where the source reaches beyond the index."""
    return zeros_behind(grad.gather(dim, index), shape)


def zeros_behind(x: Tensor, shape: Ints) -> Tensor:
    """x in a larger shape, with zeros behind its elements."""
    if tuple(x._shape) == tuple(shape):
        return x
    missing = [n - m for n, m in zip(shape, x._shape, strict=True)]
    return op.constant_pad_nd(x, [side for n in reversed(missing) for side in (0, n)], 0)


def masked_elements(self: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is true, both broadcast to one shape."""
    shape = broadcast_shapes("masked_select", self._shape, mask._shape) or (1,)
    return op.index(self.expand(shape), [mask.expand(shape)])


def nonzero_as_tuple(self: Tensor) -> tuple[Tensor, ...]:
    """The places of the elements that are not zero, one tensor for each dimension; 0-d counts as 1-d."""
    return op.nonzero(self if self.ndim else self.unsqueeze(0)).unbind(1)
