"""PyTorch's `torch.distributions.weibull`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.exponential import *
