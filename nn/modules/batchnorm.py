"""Batch normalisation under PyTorch's module path; the code is in specgrad.nn.batchnorm."""

from ..batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ..batchnorm import _BatchNorm as _BatchNorm

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]
