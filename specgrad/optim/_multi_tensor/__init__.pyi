"""PyTorch's `torch.optim._multi_tensor`, by names: written from `torch_names.py`."""

from specgrad.nn.optim import *
