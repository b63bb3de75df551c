"""PyTorch's `torch.backends.opt_einsum`, by names: written from `torch_names.py`."""

from typing import Any

enabled: bool
strategy: str | None

def is_available() -> bool: ...
def get_opt_einsum(*args: Any, **kwargs: Any) -> None: ...
