"""PyTorch's `torch.distributed.algorithms`, by names: written from `torch_names.py`."""

from . import join as join
