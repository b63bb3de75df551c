"""Gradients and tangents of views of any strides, by formulas and by writes to such views."""

from collections.abc import Sequence
from typing import TypeAlias

from ..namespace import Tensor, op
from ..tensor import view_shapes
from ..tensor.layouts import are_alike, is_dense

Ints: TypeAlias = Sequence[int]


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

    Else the tangent is put into storage through the input's layout and read through the new one."""
    start = to_offset - offset
    within = start >= 0 and start + view_shapes.span(to_size, to_stride) <= tangent.numel()
    placed = tangent.stride()
    if within and are_alike(tangent._shape, placed, strides) and is_dense(tangent._shape, placed):
        return tangent.as_strided(to_size, to_stride, tangent.storage_offset() + start)
    overlaps = _overlaps(tangent, tangent._shape, strides)
    tangent = tangent if overlaps is None else tangent / overlaps
    return op.restride(tangent, strides, offset, to_size, to_stride, to_offset)


def _overlaps(like: Tensor, shape: Ints, strides: Ints) -> Tensor | None:
    """For each element of a layout, how many share its memory; None when none do."""
    if not view_shapes.may_overlap(shape, strides):
        return None
    ones = op.ones(shape, dtype=like.dtype, device=like.device)
    return op.restride(ones, strides, 0, shape, strides, 0)
