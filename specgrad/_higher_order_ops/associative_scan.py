"""Running results of associative functions, under PyTorch's name."""

from ..runtime.pytorch.compilers.scans import associative_scan

__all__ = ["associative_scan"]
