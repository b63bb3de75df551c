"""PyTorch's `torch.distributions.half_cauchy`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.cauchy import *
