"""PyTorch's `torch.distributions.logistic_normal`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.unit_interval import *
