"""Tensors of PyTorch's compiler under its name: there are none."""

from . import fake_tensor
from .fake_tensor import FakeTensor

__all__ = ["FakeTensor", "fake_tensor"]
