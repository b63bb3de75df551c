"""PyTorch's `torch.distributions.inverse_gamma`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.gamma import *
