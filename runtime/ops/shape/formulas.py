"""Helpers of the formulas of views and of ops that join or take apart tensors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from ...namespace import op
from ...tensor import views

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def view_or_copy(self: Tensor, shape: Ints) -> Tensor:
    """A view under another shape where strides allow, else a copy."""
    if self._flat is not None or is_viewable(self._shape, self.stride(), shape):
        return op.view_default(self, shape)
    found = op.view_default(self.clone(), shape)
    found._base = found._views = None  # nobody else has the copy: it is no view
    return found


@functools.lru_cache(maxsize=4096)
def is_viewable(shape: Ints, strides: Ints, to: Ints) -> bool:
    """Whether elements of these strides lie as a view under another shape needs them."""
    return views.view(shape, strides, 0, to) is not None


def flattened(shape: Ints, start_dim: int, end_dim: int) -> tuple[int, ...]:
    """`shape` with the dimensions start_dim..end_dim as one."""
    return (*shape[:start_dim], prod(shape[start_dim : end_dim + 1]), *shape[end_dim + 1 :])


def inverse_permutation(dims: Ints) -> tuple[int, ...]:
    """Where each dimension went: inverse[dims[i]] = i."""
    return tuple(sorted(range(len(dims)), key=dims.__getitem__))


def negated(numbers: Ints) -> tuple[int, ...]:
    """-n for each number."""
    return tuple(-n for n in numbers)


def chunks_of(self: Tensor, chunks: int, dim: int) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of one size; of nothing as many as asked for."""
    size = -(-self._shape[dim] // chunks)
    return self.split(size, dim) if size else op.split_with_sizes(self, (0,) * chunks, dim)


def cat_backward(grad: Tensor, shapes: Sequence[Ints], dim: int) -> list[Tensor]:
    """The piece of the gradient that came from each tensor; those of shape (0,) had none."""
    pieces, start = [], 0
    for shape in shapes:
        empty = tuple(shape) == (0,)
        length = 0 if empty else shape[dim]
        piece = grad.narrow(dim, start, length)
        pieces.append(piece.reshape((0,)) if empty else piece)
        start += length
    return pieces


def as_strided_backward(
    grad: Tensor, shape: Ints, strides: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int
) -> Tensor:
    """Adds grad into storage and reads it through the input's layout; elements that overlap share it."""
    result = op.restride(grad, to_stride, to_offset, shape, strides, offset)
    overlaps = _overlaps(grad, shape, strides)
    return result if overlaps is None else result / overlaps


def as_strided_forward(
    tangent: Tensor, strides: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int
) -> Tensor:
    """A view of the tangent where that holds all elements: writes to the one reach the other.

    Else the tangent is put into storage through the input's layout and read through the new one.
    """
    start = to_offset - offset
    within = start >= 0 and start + views.span(to_size, to_stride) <= tangent.numel()
    if within and tangent.is_contiguous() and tangent.stride() == tuple(strides):
        return tangent.as_strided(to_size, to_stride, tangent.storage_offset() + start)
    overlaps = _overlaps(tangent, tangent._shape, strides)
    tangent = tangent if overlaps is None else tangent / overlaps
    return op.restride(tangent, strides, offset, to_size, to_stride, to_offset)


def _overlaps(like: Tensor, shape: Ints, strides: Ints) -> Tensor | None:
    """For each element of a layout, how many share its memory; None when none do."""
    if not views.may_overlap(shape, strides):
        return None
    ones = op.ones(shape, dtype=like.dtype, device=like.device)
    return op.restride(ones, strides, 0, shape, strides, 0)


def with_ones_before(x: Tensor, count: int) -> Tensor:
    """x with `count` dimensions of size 1 before its own."""
    return x.reshape((1,) * count + x._shape)
