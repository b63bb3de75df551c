"""PyTorch's `torch.distributions.laplace`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.normal import *
