"""PyTorch's `torch.distributions.categorical`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.categorical import *
