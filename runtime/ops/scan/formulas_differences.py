"""Differences of neighbours along a dimension, and areas under the lines between samples."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def neighbours(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """All along `dim` but the last, and all but the first."""
    count = max(x._shape[dim] - 1, 0)
    return x.narrow(dim, 0, count), x.narrow(dim, x._shape[dim] - count, count)


def differences(self: Tensor, n: int, dim: int, prepend: Tensor | None, append: Tensor | None) -> Tensor:
    """x_(i+1) - x_i along `dim`, n times over; of bools whether they differ."""
    parts = [x for x in (prepend, self, append) if x is not None]
    result = op.cat(parts, dim) if len(parts) > 1 else self
    for _ in range(min(n, result._shape[dim] + 1)):
        before, after = neighbours(result, dim)
        result = op.logical_xor(after, before) if result.dtype.kind == "b" else after - before
    return op.clone(result) if result is self else result  # n is 0


def trapezoids(y: Tensor, spacing: Tensor | float, dim: int) -> Tensor:
    """Twice the area between neighbouring samples."""
    before, after = neighbours(y, dim)
    return (before + after) * spacing


def spacings(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """From each sample point to the next; points in a vector lie along `dim` of y."""
    if x.ndim == 1:
        x = x.reshape([-1] + [1] * (y.ndim - 1 - dim))
    shaped = x.reshape([1] * (y.ndim - x.ndim) + list(x._shape))
    before, after = neighbours(shaped, dim)
    return after - before
