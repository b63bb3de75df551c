"""PyTorch's `torch.backends.nnpack`, by names: written from `torch_names.py`."""

from specgrad.backends.switches import nnpack_flags

flags = nnpack_flags
enabled: bool

def is_available() -> bool: ...
