"""PyTorch's `torch.distributions.independent`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.independent import *
