"""PyTorch's `torch.optim.adagrad`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adagrad import *
from specgrad.nn.optim.adagrad import Adagrad as Adagrad
from specgrad.nn.optim.adagrad import adagrad as adagrad
