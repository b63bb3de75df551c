"""Where PyTorch keeps the class of compiled modules."""

from ..runtime.pytorch.compilers.compiling import OptimizedModule

__all__ = ["OptimizedModule"]
