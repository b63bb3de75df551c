"""Folding under PyTorch's module path; the code is one folder up."""

from ..folding import Fold, Unfold

__all__ = ["Fold", "Unfold"]
