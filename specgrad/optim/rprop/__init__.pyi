"""PyTorch's `torch.optim.rprop`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.sgd import *
from specgrad.nn.optim.sgd import Rprop as Rprop
from specgrad.nn.optim.sgd import rprop as rprop
