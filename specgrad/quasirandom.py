"""Sequences that fill a cube evenly, under PyTorch's name; the code is in specgrad.runtime.functions.sobol."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.functions.sobol import SobolEngine

__all__ = ["SobolEngine"]

_guard_module(__name__)
