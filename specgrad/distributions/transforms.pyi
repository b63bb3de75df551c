"""PyTorch's `torch.distributions.transforms`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.transforms import *
