"""PyTorch's `torch.distributions.studentT`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.gamma import *
