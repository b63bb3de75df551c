"""Scalar functions of element-wise expressions, compiled for CPU and CUDA."""

from typing import Any

from specgrad.runtime.kernels.scalar import sin


def squared_sine(x: Any) -> Any:
    """sin(x)^2."""
    return sin(x) * sin(x)
