"""Shuffling of pixels under PyTorch's module path; the code is one folder up."""

from ..shuffling import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
