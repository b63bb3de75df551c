"""PyTorch's `torch.autograd.function`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.custom.context import FunctionCtx as FunctionCtx
from specgrad.runtime.autograd.custom.function import Function as Function
from specgrad.runtime.autograd.custom.function import InplaceFunction as InplaceFunction
from specgrad.runtime.autograd.custom.function import once_differentiable as once_differentiable
from specgrad.runtime.autograd.custom.node import FunctionNode

BackwardCFunction = FunctionNode
