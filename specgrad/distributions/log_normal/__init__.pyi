"""PyTorch's `torch.distributions.log_normal`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.normal import *
