"""PyTorch's `torch.utils.pytree`, by names: written from `torch_names.py`."""

from specgrad.utils._pytree import *
