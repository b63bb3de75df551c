"""PyTorch's `torch.autograd.function`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.function import Function as Function
from specgrad.runtime.autograd.function import InplaceFunction as InplaceFunction
from specgrad.runtime.autograd.function import once_differentiable as once_differentiable
from specgrad.runtime.autograd.function_context import FunctionCtx as FunctionCtx
from specgrad.runtime.autograd.function_node import FunctionNode

BackwardCFunction = FunctionNode
