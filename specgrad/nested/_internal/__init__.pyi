"""PyTorch's `torch.nested._internal`, by names: written from `torch_names.py`."""

from . import nested_tensor as nested_tensor
