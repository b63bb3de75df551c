"""Distances under PyTorch's module path; the code is one folder up."""

from ..distance import CosineSimilarity, PairwiseDistance

__all__ = ["CosineSimilarity", "PairwiseDistance"]
