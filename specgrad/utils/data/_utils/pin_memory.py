"""Copies of batches in page-locked memory under PyTorch's name; the code is in specgrad.nn.data."""

from ....nn.data.pinning import pin_memory

__all__ = ["pin_memory"]
