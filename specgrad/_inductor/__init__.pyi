"""PyTorch's `torch._inductor`, by names: written from `torch_names.py`."""

from typing import Any

from . import config as config
from . import exc as exc

def cudagraph_mark_step_begin(*args: Any, **kwargs: Any) -> None: ...
