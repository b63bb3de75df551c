"""PyTorch's `torch.utils.data.dataset`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.data import ChainDataset as ChainDataset
from specgrad.nn.data import ConcatDataset as ConcatDataset
from specgrad.nn.data import Dataset as Dataset
from specgrad.nn.data import IterableDataset as IterableDataset
from specgrad.nn.data import StackDataset as StackDataset
from specgrad.nn.data import Subset as Subset
from specgrad.nn.data import TensorDataset as TensorDataset
from specgrad.nn.data import random_split as random_split

def __getattr__(name: str) -> Any: ...
