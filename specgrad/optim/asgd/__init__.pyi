"""PyTorch's `torch.optim.asgd`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.sgd import *
from specgrad.nn.optim.sgd import ASGD as ASGD
from specgrad.nn.optim.sgd import asgd as asgd
