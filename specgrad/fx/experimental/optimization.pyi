"""PyTorch's `torch.fx.experimental.optimization`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.fusing import fuse as fuse
from specgrad.nn.fx.fusing import remove_dropout as remove_dropout
