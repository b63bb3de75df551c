"""Optimizations for inference under PyTorch's name."""

from ...nn.fx.fusing import fuse, remove_dropout

__all__ = ["fuse", "remove_dropout"]
