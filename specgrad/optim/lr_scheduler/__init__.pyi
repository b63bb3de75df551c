"""PyTorch's `torch.optim.lr_scheduler`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.optim.lr_scheduler import *
from specgrad.nn.optim.lr_scheduler.base import _enable_get_lr_call as _enable_get_lr_call

def __getattr__(name: str) -> Any: ...
