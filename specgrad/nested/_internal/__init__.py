"""Where PyTorch keeps the class of nested tensors."""

from . import nested_tensor

__all__ = ["nested_tensor"]
