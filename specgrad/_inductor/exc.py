"""Errors of PyTorch's code generator, which programs catch: nothing is compiled here, and nothing raises them."""

from ..runtime.pytorch.compilers.compiler_errors import CppCompileError, InductorError

__all__ = ["CppCompileError", "InductorError"]
