"""Custom functions under PyTorch's name; the code is in specgrad.runtime.autograd.function."""

from ..runtime.autograd.function import Function, FunctionCtx, once_differentiable

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
