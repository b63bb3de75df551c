"""Flattening under PyTorch's module path; the code is one folder up."""

from ..flatten import Flatten, Unflatten

__all__ = ["Flatten", "Unflatten"]
