"""PyTorch's `torch.distributions.uniform`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.continuous.cauchy import *
