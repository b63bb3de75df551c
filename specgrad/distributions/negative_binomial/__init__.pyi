"""PyTorch's `torch.distributions.negative_binomial`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.bernoulli import *
