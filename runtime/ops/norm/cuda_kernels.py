"""Parts of norms on a device, element by element."""

from __future__ import annotations

from typing import Any

from ...kernels.scalar import sqrt


def scaled(x: Any, weight: Any, bias: Any) -> Any:
    """x weight + bias."""
    return x * weight + bias


def unit_scaled(x: Any, factor: Any, mean: Any, var: Any, eps: Any) -> Any:
    """(x - mean) / sqrt(var + eps) factor."""
    return (x - mean) / sqrt(var + eps) * factor
