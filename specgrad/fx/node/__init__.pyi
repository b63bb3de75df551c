"""PyTorch's `torch.fx.node`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.node import Argument as Argument
from specgrad.nn.fx.node import Node as Node
from specgrad.nn.fx.node import Target as Target
from specgrad.nn.fx.node import has_side_effect as has_side_effect
from specgrad.nn.fx.node_arguments import map_aggregate as map_aggregate
from specgrad.nn.fx.node_arguments import map_arg as map_arg
