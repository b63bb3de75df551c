"""PyTorch's `torch.distributions.poisson`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.bernoulli import *
