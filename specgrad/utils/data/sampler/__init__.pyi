"""PyTorch's `torch.utils.data.sampler`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.data import BatchSampler as BatchSampler
from specgrad.nn.data import RandomSampler as RandomSampler
from specgrad.nn.data import Sampler as Sampler
from specgrad.nn.data import SequentialSampler as SequentialSampler
from specgrad.nn.data import SubsetRandomSampler as SubsetRandomSampler
from specgrad.nn.data import WeightedRandomSampler as WeightedRandomSampler

def __getattr__(name: str) -> Any: ...
