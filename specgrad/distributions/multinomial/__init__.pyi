"""PyTorch's `torch.distributions.multinomial`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.categorical import *
