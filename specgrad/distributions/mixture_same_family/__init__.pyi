"""PyTorch's `torch.distributions.mixture_same_family`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.mixture_same_family import *
