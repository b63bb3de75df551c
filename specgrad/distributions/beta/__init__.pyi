"""PyTorch's `torch.distributions.beta`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.beta import *
