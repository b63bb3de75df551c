"""PyTorch's `torch.backends.kleidiai`, by names: written from `torch_names.py`."""

from typing import Any

def is_available(*args: Any, **kwargs: Any) -> bool: ...
