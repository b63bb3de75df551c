"""Values that are there later, under PyTorch's name; the code is in specgrad.runtime.pytorch.futures."""

from .runtime.pytorch.futures import Future, collect_all, wait_all

__all__ = ["Future", "collect_all", "wait_all"]
