"""PyTorch's `torch.distributed.device_mesh`, by names: written from `torch_names.py`."""

from typing import Any, NoReturn

def init_device_mesh(*args: Any, **kwargs: Any) -> NoReturn: ...

class DeviceMesh:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
