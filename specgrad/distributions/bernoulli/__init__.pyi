"""PyTorch's `torch.distributions.bernoulli`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.bernoulli import *
