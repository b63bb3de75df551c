"""Errors of PyTorch's compiler, which programs catch: nothing is compiled here, and nothing raises them."""

from ..runtime.pytorch.compilers.compiler_errors import BackendCompilerFailed, TorchDynamoException, Unsupported

__all__ = ["BackendCompilerFailed", "TorchDynamoException", "Unsupported"]
