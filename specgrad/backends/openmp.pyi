"""PyTorch's `torch.backends.openmp`, by names: written from `torch_names.py`."""

from typing import Any

def is_available(*args: Any, **kwargs: Any) -> bool: ...
