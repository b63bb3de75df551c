"""Sizes that vary, under PyTorch's name."""

from ..nn.export.dims import Dim, dims

__all__ = ["Dim", "dims"]
