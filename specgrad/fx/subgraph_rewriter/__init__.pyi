"""PyTorch's `torch.fx.subgraph_rewriter`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.passes import Match as Match
from specgrad.nn.fx.passes import replace_pattern as replace_pattern
