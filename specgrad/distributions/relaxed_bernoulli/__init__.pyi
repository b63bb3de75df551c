"""PyTorch's `torch.distributions.relaxed_bernoulli`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.unit_interval import *
