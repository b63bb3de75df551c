"""PyTorch's `torch.distributions.wishart`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.wishart import *
