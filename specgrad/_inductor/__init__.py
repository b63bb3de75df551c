"""PyTorch's code generator, which is not here: programs find its settings."""

from . import config

__all__ = ["config"]
