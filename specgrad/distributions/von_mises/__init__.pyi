"""PyTorch's `torch.distributions.von_mises`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.cauchy import *
