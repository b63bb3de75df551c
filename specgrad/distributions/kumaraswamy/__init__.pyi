"""PyTorch's `torch.distributions.kumaraswamy`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.unit_interval import *
