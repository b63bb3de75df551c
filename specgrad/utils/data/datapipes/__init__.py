"""Data pipes under PyTorch's name; the code is in specgrad.nn.data.pipes."""

from . import datapipe, iter

__all__ = ["datapipe", "iter"]
