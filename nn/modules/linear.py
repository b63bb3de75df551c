"""Linear layers under PyTorch's module path; the code is one folder up."""

from ..bilinear import Bilinear
from ..lazy_linear import LazyLinear
from ..linear import Identity, Linear

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]
