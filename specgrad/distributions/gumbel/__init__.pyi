"""PyTorch's `torch.distributions.gumbel`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.cauchy import *
