"""Quantiles, composed of a sort and of the elements on either side of a rank."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def quantiles(
    self: Tensor, q: Tensor | float, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool
) -> Tensor:
    """The elements of rank q (n - 1) along `dim`, those of several q along a new first dimension."""
    if not self.dtype.native:  # ranks of 16 bits would miss their elements
        wide = q if isinstance(q, float) else q.to(self.dtype.compute)
        found = quantiles(self.to(self.dtype.compute), wide, dim, keepdim, interpolation, skip_nan)
        return found.to(self.dtype)
    rows = self.reshape(-1) if dim is None or not self.ndim else self.movedim(dim, -1)
    parts = op.full((1,), q, dtype=self.dtype, device=self.device) if isinstance(q, float) else q.reshape(-1)
    found = interpolated(op.sort(rows, -1)[0], ranks(rows, parts, skip_nan), interpolation)
    if keepdim and self.ndim:
        found = found.reshape([1] * self.ndim + [-1]) if dim is None else found.unsqueeze(dim)
    return found.squeeze(-1) if isinstance(q, float) or not q.ndim else found.movedim(-1, 0)


def ranks(rows: Tensor, q: Tensor, skip_nan: bool) -> Tensor:
    """q (n - 1), where n counts what is not nan if nan is skipped; a nan that is not skipped is the last of all."""
    missing = op.isnan(rows)
    if skip_nan:
        return q * (op.sum(~missing, -1, True) - 1).clamp_min(0).to(q.dtype)
    last = rows._shape[-1] - 1
    return (q * last).masked_fill(op.any(missing, -1, True), last)


def interpolated(ordered: Tensor, rank: Tensor, interpolation: str) -> Tensor:
    """Between the elements on either side of a rank, or one of them."""
    rounding = {"lower": op.floor, "higher": op.ceil, "nearest": op.round}.get(interpolation)
    if rounding is not None:
        return ordered.gather(-1, rounding(rank).long())
    below = op.floor(rank)
    weight = rank - below if interpolation == "linear" else 0.5
    return ordered.gather(-1, below.long()).lerp(ordered.gather(-1, op.ceil(rank).long()), weight)
