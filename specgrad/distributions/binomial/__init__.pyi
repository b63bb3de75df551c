"""PyTorch's `torch.distributions.binomial`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.bernoulli import *
