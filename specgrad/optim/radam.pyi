"""PyTorch's `torch.optim.radam`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.radam import *
from specgrad.nn.optim.radam import RAdam as RAdam
from specgrad.nn.optim.radam import radam as radam
