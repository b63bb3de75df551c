"""PyTorch's `torch.distributions.constraint_registry`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.constraint_registry import *
