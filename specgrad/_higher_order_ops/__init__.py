"""Functions that call functions, under PyTorch's name."""

from ..runtime.pytorch.compilers.symbolic import cond, while_loop
from . import associative_scan as _module  # noqa: F401
from .associative_scan import associative_scan

__all__ = ["associative_scan", "cond", "while_loop"]
