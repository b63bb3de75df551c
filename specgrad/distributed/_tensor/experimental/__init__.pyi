"""PyTorch's `torch.distributed._tensor.experimental`, by names: written from `torch_names.py`."""

from contextlib import AbstractContextManager
from typing import Any

def implicit_replication(*args: Any, **kwargs: Any) -> AbstractContextManager[list[Any]]: ...
