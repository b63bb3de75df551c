"""PyTorch's `torch.optim.adamax`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam import *
from specgrad.nn.optim.adam import Adamax as Adamax
from specgrad.nn.optim.adam import adamax as adamax
