"""PyTorch's `torch.backends.miopen`, by names: written from `torch_names.py`."""

from specgrad.backends.switches import miopen_flags

flags = miopen_flags
immediate: bool
