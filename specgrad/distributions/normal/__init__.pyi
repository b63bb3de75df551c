"""PyTorch's `torch.distributions.normal`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.normal import *
