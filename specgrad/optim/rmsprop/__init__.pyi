"""PyTorch's `torch.optim.rmsprop`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.sgd import *
from specgrad.nn.optim.sgd import RMSprop as RMSprop
from specgrad.nn.optim.sgd import rmsprop as rmsprop
