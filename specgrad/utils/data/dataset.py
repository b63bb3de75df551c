"""Data sets under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn.data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from ...nn.modules.borrowed import borrowed as _borrowed

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

__getattr__ = _borrowed(__name__, "utils.data")
