"""PyTorch's `torch.distributions.relaxed_categorical`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.relaxed_categorical import *
