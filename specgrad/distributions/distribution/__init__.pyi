"""PyTorch's `torch.distributions.distribution`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.base.distribution import *
