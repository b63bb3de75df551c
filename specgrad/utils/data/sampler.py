"""Orders of samples under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn.data import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ...nn.modules.borrowed import borrowed as _borrowed

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

__getattr__ = _borrowed(__name__, "utils.data")
