"""PyTorch's `torch.optim.sgd`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.sgd import *
from specgrad.nn.optim.sgd import SGD as SGD
from specgrad.nn.optim.sgd import sgd as sgd
