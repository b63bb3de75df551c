"""Signal processing under PyTorch's name."""

from . import windows

__all__ = ["windows"]
