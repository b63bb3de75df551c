"""Instance normalisation under PyTorch's module path; the code is one folder up."""

from ..instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from ..instancenorm import _InstanceNorm as _InstanceNorm
from ..lazy_instancenorm import LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]
