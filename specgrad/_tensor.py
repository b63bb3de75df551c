"""Where PyTorch keeps `Tensor`."""

from .generated.tensor import Tensor

__all__ = ["Tensor"]
