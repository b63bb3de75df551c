"""PyTorch's `torch.optim.adamw`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam import *
from specgrad.nn.optim.adam import AdamW as AdamW
from specgrad.nn.optim.adam import adamw as adamw
