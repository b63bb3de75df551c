"""Layers under PyTorch's module path; the code is one folder up."""

from . import batchnorm, module

__all__ = ["batchnorm", "module"]
