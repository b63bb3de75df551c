"""Values that are there later, under PyTorch's name; the code is in specgrad.runtime.pytorch.futures."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.pytorch.futures import Future, collect_all, wait_all

__all__ = ["Future", "collect_all", "wait_all"]

_guard_module(__name__)
