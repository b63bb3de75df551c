"""Batch normalisation under PyTorch's module path; the code is one folder up."""

from ..batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ..batchnorm import _BatchNorm as _BatchNorm
from ..lazy_norms import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
from ..norm_base import NormBase
from ..synchronized import SyncBatchNorm

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]

_NormBase = NormBase
