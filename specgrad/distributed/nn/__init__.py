"""Collectives that gradients pass through, under PyTorch's name."""

from . import functional
from .functional import *

__all__ = ["functional"]
__all__ += functional.__all__
