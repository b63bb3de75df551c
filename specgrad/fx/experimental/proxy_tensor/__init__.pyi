"""PyTorch's `torch.fx.experimental.proxy_tensor`, by names: written from `torch_names.py`."""

from typing import Any

def get_proxy_mode(*args: Any, **kwargs: Any) -> None: ...
