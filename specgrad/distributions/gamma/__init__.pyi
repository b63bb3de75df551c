"""PyTorch's `torch.distributions.gamma`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.gamma import *
