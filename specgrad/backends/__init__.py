"""Switches of the libraries that compute on devices, under PyTorch's names."""

from . import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
