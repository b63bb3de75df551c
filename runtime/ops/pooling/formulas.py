"""Helpers of the formulas of pooling, written in ops and Tensor methods so that they differentiate again."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def gather_places(input: Tensor, indices: Tensor, spatial: int) -> Tensor:
    """The values of each plane (the last `spatial` dimensions) at `indices` into the flattened plane."""
    return input.flatten(-spatial).gather(-1, indices.flatten(-spatial)).reshape(indices._shape)


def plane_size(shape: tuple[int, ...], spatial: int) -> tuple[int, ...]:
    """The sizes of the last `spatial` dimensions."""
    return tuple(shape[-spatial:])


def window_size(kernel_size: Sequence[int]) -> int:
    """How many elements a window has."""
    return prod(kernel_size)


def flat_at_zero(x: Tensor) -> Tensor:
    """sgn(x) |x|, which is x with the gradient 0 where it is 0."""
    return x.sign() * x.abs()
