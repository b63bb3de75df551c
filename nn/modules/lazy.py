"""Lazy modules under PyTorch's module path; the code is in specgrad.nn.lazy."""

from ..lazy import LazyModuleMixin

__all__ = ["LazyModuleMixin"]
