"""Layers under PyTorch's module path; the code is one folder up."""

from . import batchnorm, lazy, module

__all__ = ["batchnorm", "lazy", "module"]
