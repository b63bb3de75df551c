"""PyTorch's `torch.distributions.chi2`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.gamma import *
