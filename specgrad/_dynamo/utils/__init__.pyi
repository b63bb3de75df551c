"""PyTorch's `torch._dynamo.utils`, by names: written from `torch_names.py`."""

from typing import Any

def is_compile_supported(*args: Any, **kwargs: Any) -> bool: ...
