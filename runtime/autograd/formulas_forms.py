"""Helpers of composites that write diagonals, and of those whose results have a stated size."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def filled_diagonal(self: Tensor, value: Any, wrap: bool) -> Tensor:
    """The tensor itself, with its diagonal written: of a tall matrix one for each square, a row between them."""
    height, width = self._shape[0], self._shape[-1]
    period = width + 1 if wrap and self.ndim == 2 else max(height, 1)
    for start in range(0, height, period):
        diagonal = self.narrow(0, start, min(width, height - start) if self.ndim == 2 else height)
        while diagonal.ndim > 1:
            diagonal = op.diagonal(diagonal, 0, 0, -1)
        diagonal.fill_(value)
    return self


def raised_in_place(self: Tensor, exponent: Any) -> Tensor:
    """x becomes x^e; the power is taken of a copy, for what it keeps for backward is not to be written to."""
    return self.copy_(op.float_power(op.clone(self), exponent))


def all_reflections(self: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]:
    """Reflections and their factors for the square orthogonal matrix: those that are missing are of factor 0."""
    missing = max(self._shape[-2] - self._shape[-1], 0)
    wide = op.cat([self, self.new_zeros((*self._shape[:-1], missing))], -1)[..., : self._shape[-2]]
    return wide, op.cat([tau, tau.new_zeros((*tau._shape[:-1], wide._shape[-1] - tau._shape[-1]))], -1)
