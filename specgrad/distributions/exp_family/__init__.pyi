"""PyTorch's `torch.distributions.exp_family`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.independent import *
