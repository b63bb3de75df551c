"""PyTorch's `torch.distributions.dirichlet`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.beta import *
