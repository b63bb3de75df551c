"""PyTorch's `torch.distributions.one_hot_categorical`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.categorical import *
