"""PyTorch's `torch.distributions.exponential`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.exponential import *
