"""PyTorch's `torch.distributions.constraints`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.constraints import *
