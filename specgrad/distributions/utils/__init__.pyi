"""PyTorch's `torch.distributions.utils`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.base.parameters import *
