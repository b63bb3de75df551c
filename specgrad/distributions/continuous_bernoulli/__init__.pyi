"""PyTorch's `torch.distributions.continuous_bernoulli`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.unit_interval import *
