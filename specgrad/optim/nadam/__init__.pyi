"""PyTorch's `torch.optim.nadam`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam import *
from specgrad.nn.optim.adam import NAdam as NAdam
from specgrad.nn.optim.adam import nadam as nadam
