"""Custom functions under PyTorch's name; the code is in specgrad.runtime.autograd.function."""

from ..runtime.autograd.function import Function
from ..runtime.autograd.function_ctx import FunctionCtx
from ..runtime.autograd.function_legacy import InplaceFunction
from ..runtime.autograd.function_node import FunctionNode as BackwardCFunction
from ..runtime.autograd.function_once import once_differentiable

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
