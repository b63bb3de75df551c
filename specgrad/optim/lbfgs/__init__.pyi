"""PyTorch's `torch.optim.lbfgs`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.lbfgs import *
from specgrad.nn.optim.lbfgs import LBFGS as LBFGS
