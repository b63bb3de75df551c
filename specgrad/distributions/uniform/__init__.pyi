"""PyTorch's `torch.distributions.uniform`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.cauchy import *
