"""Helpers of the formulas of indexing ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Ints: TypeAlias = Sequence[int]


def zeros_of(like: Tensor, shape: Ints) -> Tensor:
    """Zeros of a shape, with the dtype and device of `like`."""
    return op.zeros(shape, dtype=like.dtype, device=like.device)


def zero_at(grad: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """grad with zeros at `indices`, where the input was overwritten."""
    return op.index_put(grad, indices, zeros_of(grad, ()))


def padded_to(x: Tensor, shape: Ints) -> Tensor:
    """x with zeros behind it along each dimension, up to a shape that is nowhere smaller."""
    if tuple(x._shape) == tuple(shape):
        return x
    missing = [n - m for n, m in zip(shape, x._shape, strict=True)]
    return op.constant_pad_nd(x, [side for n in reversed(missing) for side in (0, n)], 0)
