"""Replacing parts of graphs under PyTorch's name."""

from ..nn.fx.rewriting import Match, replace_pattern

__all__ = ["Match", "replace_pattern"]
