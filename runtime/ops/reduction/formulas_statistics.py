"""Helpers of the formulas of medians and moments, and of reductions that are made of others."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def zero_for_nan(x: Tensor) -> Tensor:
    """0 in place of nan."""
    return x.masked_fill(op.isnan(x), 0) if x.is_floating_point() else x
