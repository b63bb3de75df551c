"""Custom functions under PyTorch's name; the code is in specgrad.runtime.autograd.custom.function."""

from ..runtime.autograd.custom.context import FunctionCtx
from ..runtime.autograd.custom.function import Function, InplaceFunction, once_differentiable
from ..runtime.autograd.custom.node import FunctionNode as BackwardCFunction

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
