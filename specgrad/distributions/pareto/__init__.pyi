"""PyTorch's `torch.distributions.pareto`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.exponential import *
