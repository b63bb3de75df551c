"""Linear algebra under PyTorch's names."""

from .generated.ops import diagonal, matmul

__all__ = ["diagonal", "matmul"]
