"""PyTorch's `torch.distributions.kl`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.kl import *
