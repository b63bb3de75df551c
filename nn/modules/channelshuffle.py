"""Shuffling of channels under PyTorch's module path; the code is one folder up."""

from ..shuffling import ChannelShuffle

__all__ = ["ChannelShuffle"]
