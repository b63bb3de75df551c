"""PyTorch's `torch.signal`, by names: written from `torch_names.py`."""

from . import windows as windows
