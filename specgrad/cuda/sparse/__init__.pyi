"""PyTorch's `torch.cuda.sparse`, by names: written from `torch_names.py`."""

from typing import Any

def __getattr__(name: str) -> Any: ...
