"""Helpers of the formulas of matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from ...namespace import op
from ...tensor.shapes import broadcast_shapes

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions."""
    turned = x.transpose(-2, -1)
    return turned.conj() if turned.is_complex() else turned


def scaled(grad: Tensor, factor: complex) -> Tensor:
    """grad conj(factor): what comes through a multiplication by a number."""
    return grad if factor == 1 else grad * factor.conjugate()


def expand_batch(grad: Tensor, batch_shape: Sequence[int]) -> Tensor:
    """A matrix repeated for every matrix of a batch."""
    return grad.unsqueeze(0).expand((batch_shape[0], *grad._shape))


def matmul_by_rank(self: Tensor, other: Tensor) -> Tensor:
    """The product of the last two dimensions by the op that fits the numbers of dimensions."""
    if len(self._shape) == 2 == len(other._shape):
        return op.mm(self, other)
    ranks = (min(self.ndim, 3), min(other.ndim, 3))
    if ranks == (1, 1):
        return self.dot(other)
    if ranks == (2, 1):
        return self.mv(other)
    if ranks == (1, 2):
        return other.t().mv(self)
    if self.ndim == 1:
        return _batched(self.unsqueeze(0), other).squeeze(-2)
    if other.ndim == 1:
        return _folded(self, other.unsqueeze(1)).squeeze(-1)
    return _folded(self, other) if other.ndim == 2 else _batched(self, other)


def _folded(self: Tensor, other: Tensor) -> Tensor:
    """A batch times one matrix: the rows of all its matrices in one product."""
    rows = self.reshape((prod(self._shape[:-1]), self._shape[-1]))
    return rows.mm(other).reshape((*self._shape[:-1], other._shape[1]))


def _batched(self: Tensor, other: Tensor) -> Tensor:
    """Batches that broadcast, as one bmm."""
    batch = broadcast_shapes("matmul", self._shape[:-2], other._shape[:-2])
    result = _as_batch(self, batch).bmm(_as_batch(other, batch))
    return result.reshape((*batch, self._shape[-2], other._shape[-1]))


def _as_batch(x: Tensor, batch: Sequence[int]) -> Tensor:
    """x with its batch dimensions broadcast to `batch` and merged into one."""
    matrix = x._shape[-2:]
    return x.expand((*batch, *matrix)).reshape((prod(batch), *matrix))


def rows_times(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight, or the outer product with a 1-d weight: the transpose of linear in its input."""
    return rows.matmul(weight) if weight.ndim == 2 else rows.unsqueeze(-1) * weight
