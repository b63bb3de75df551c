"""Where PyTorch keeps the class of compiled modules."""

from ..runtime.compilers.compiling import OptimizedModule

__all__ = ["OptimizedModule"]
