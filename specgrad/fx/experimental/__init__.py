"""What PyTorch keeps under this name."""

from . import optimization

__all__ = ["optimization"]
