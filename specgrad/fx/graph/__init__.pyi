"""PyTorch's `torch.fx.graph`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.code import CodeGen as CodeGen
from specgrad.nn.fx.code import PythonCode as PythonCode
from specgrad.nn.fx.graph import Graph as Graph
