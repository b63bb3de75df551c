"""Distances between rows, and norms that are kept small: composed of other ops."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op
from ..shapes import broadcast_shapes

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import

_FEW_ROWS = 25  # PyTorch's bound: Euclidean distances between more rows than these come from a matrix product


def distances(x1: Tensor, x2: Tensor, p: float, compute_mode: str) -> Tensor:
    """The p-norm of x1_i - x2_j for all pairs of rows."""
    many = x1._shape[-2] > _FEW_ROWS or x2._shape[-2] > _FEW_ROWS
    by_product = many if compute_mode.endswith("if_necessary") else not compute_mode.startswith("donot")
    if p == 2 and by_product:
        return euclidean(x1, x2)
    batch = broadcast_shapes("cdist", x1._shape[:-2], x2._shape[:-2])
    return op.row_distances(*(x.expand((*batch, *x._shape[-2:])) for x in (x1, x2)), p)


def euclidean(x1: Tensor, x2: Tensor) -> Tensor:
    """sqrt(|x|^2 + |y|^2 - 2 x.y), which needs no room for the differences; the gradient is 0 where it is 0."""
    squares = op.sum(x1 * x1, -1, True) + op.sum(x2 * x2, -1).unsqueeze(-2) - 2 * (x1 @ x2.transpose(-1, -2))
    apart = squares > 0
    return squares.masked_fill(~apart, 1).sqrt() * apart.to(squares.dtype)


def distances_within(self: Tensor, p: float) -> Tensor:
    """The p-norm of x_i - x_j for all i < j, row by row."""
    count = self._shape[0]
    above = op.nonzero(op.triu(op.ones(count, count, device=self.device), 1).reshape(-1)).reshape(-1)
    return op.row_distances(self, self, p).reshape(-1).index_select(0, above)


def limited_norms(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """The slices along `dim`, scaled down to norm `maxnorm` where theirs is greater."""
    lengths = op.norm(self, p, [d for d in range(self.ndim) if d != dim], True)
    return self * (maxnorm / (lengths + 1e-7)).masked_fill(~(lengths > maxnorm), 1)
