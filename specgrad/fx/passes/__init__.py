"""What goes through graphs, under PyTorch's name."""

from . import shape_prop

__all__ = ["shape_prop"]
