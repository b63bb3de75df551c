"""PyTorch's `torch.fx.interpreter`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.interpreter import Interpreter as Interpreter
from specgrad.nn.fx.interpreter import Transformer as Transformer
