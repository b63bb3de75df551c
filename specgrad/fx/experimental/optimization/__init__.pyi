"""PyTorch's `torch.fx.experimental.optimization`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.passes import fuse as fuse
from specgrad.nn.fx.passes import remove_dropout as remove_dropout
