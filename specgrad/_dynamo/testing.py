"""What tests of libraries count a compiler's work with."""

from ..runtime.pytorch.compilers.compiling import CompileCounter

__all__ = ["CompileCounter"]
