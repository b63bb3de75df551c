"""PyTorch's `torch.distributed.algorithms.join`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.runtime.extensions.torch_compat.unavailable import Joinable as Joinable
from specgrad.runtime.extensions.torch_compat.unavailable import JoinHook as JoinHook

class Join:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
