"""Custom functions under PyTorch's name; the code is in specgrad.runtime.autograd.custom.function."""

from ..runtime.autograd.custom.context import FunctionCtx
from ..runtime.autograd.custom.function import Function
from ..runtime.autograd.custom.legacy import InplaceFunction
from ..runtime.autograd.custom.node import FunctionNode as BackwardCFunction
from ..runtime.autograd.custom.once import once_differentiable

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
