"""PyTorch's `torch.optim.adam`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam import *
from specgrad.nn.optim.adam import Adam as Adam
from specgrad.nn.optim.adam import adam as adam
