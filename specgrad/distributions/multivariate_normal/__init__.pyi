"""PyTorch's `torch.distributions.multivariate_normal`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.multivariate_normal import *
