"""PyTorch's `torch.ao`, by names: written from `torch_names.py`."""

from . import quantization as quantization
