"""Values that are there later, under PyTorch's name; the code is in specgrad.runtime.futures."""

from .runtime.futures import Future, collect_all, wait_all

__all__ = ["Future", "collect_all", "wait_all"]
