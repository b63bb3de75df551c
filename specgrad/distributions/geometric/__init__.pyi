"""PyTorch's `torch.distributions.geometric`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.bernoulli import *
