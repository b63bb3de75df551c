"""Data sets under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn.data import Dataset, IterableDataset, Subset, TensorDataset, random_split

__all__ = ["Dataset", "IterableDataset", "Subset", "TensorDataset", "random_split"]
