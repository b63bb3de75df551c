"""PyTorch's `torch._subclasses.fake_tensor`, by names: written from `torch_names.py`."""

from typing import Any

class FakeTensor:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def is_fake(*args: Any, **kwargs: Any) -> bool: ...
