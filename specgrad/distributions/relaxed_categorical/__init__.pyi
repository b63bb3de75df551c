"""PyTorch's `torch.distributions.relaxed_categorical`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.unit_interval import *
