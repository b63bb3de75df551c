"""`Module` under PyTorch's module path; the code is in specgrad.nn.module."""

from ..module import Module

__all__ = ["Module"]
