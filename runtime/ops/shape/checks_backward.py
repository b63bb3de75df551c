"""Argument checks of the transposes of views: the gradient must have the shape that the view gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ShapeError
from ...tensor import views
from . import checks_slice_join
from .checks import diagonal

Ints = Sequence[int]


@dataclass(frozen=True)
class Shaped:
    """Stands for a tensor in the check of a view, which reads its shape only."""

    _shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self._shape)


def _shaped(op: str, sizes: Ints) -> Shaped:
    if min(sizes, default=0) < 0:
        raise ShapeError(f"{op}(): expected sizes that are not negative, but got {list(sizes)}")
    return Shaped(tuple(sizes))


def _require_shape(op: str, grad: Any, expected: views.Layout) -> None:
    if tuple(grad._shape) != expected[0]:
        raise ShapeError(f"{op}(): expected a gradient of shape {list(expected[0])}, but got {list(grad._shape)}")


def select_backward(op: str, grad: Any, sizes: Ints, dim: int, index: int) -> tuple[Any, ...]:
    """Arguments of select on a tensor of `sizes`; the gradient has the shape of the slice."""
    full, dim, index = checks_slice_join.select(op, _shaped(op, sizes), dim, index)
    _require_shape(op, grad, views.select(full._shape, full._shape, 0, dim, index))
    return grad, full._shape, dim, index


def slice_backward(op: str, grad: Any, sizes: Ints, dim: int, start: int, end: int, step: int) -> tuple[Any, ...]:
    """Arguments of slice on a tensor of `sizes`; the gradient has the shape of the slice."""
    full, dim, start, end, step = checks_slice_join.slice(op, _shaped(op, sizes), dim, start, end, step)
    _require_shape(op, grad, views.slice(full._shape, full._shape, 0, dim, start, end, step))
    return grad, full._shape, dim, start, end, step


def diagonal_backward(op: str, grad: Any, sizes: Ints, offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """Arguments of diagonal on a tensor of `sizes`; the gradient has the shape of the diagonal."""
    full, offset, dim1, dim2 = diagonal(op, _shaped(op, sizes), offset, dim1, dim2)
    _require_shape(op, grad, views.diagonal(full._shape, full._shape, 0, offset, dim1, dim2))
    return grad, full._shape, offset, dim1, dim2


def restride(
    op: str, self: Any, stride: Ints, offset: int, to_size: Ints, to_stride: Ints, to_offset: int
) -> tuple[Any, ...]:
    """One stride for each size, and nothing negative."""
    for sizes, steps in ((self._shape, stride), (to_size, to_stride)):
        if len(sizes) != len(steps):
            raise ShapeError(f"{op}(): mismatch in length of strides {list(steps)} and shape {list(sizes)}")
    if min((*stride, offset, *to_size, *to_stride, to_offset)) < 0:
        raise ShapeError(f"{op}(): expected sizes, strides and offsets that are not negative")
    return self, tuple(stride), offset, tuple(to_size), tuple(to_stride), to_offset
