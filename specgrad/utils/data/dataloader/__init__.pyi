"""PyTorch's `torch.utils.data.dataloader`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.data import DataLoader as DataLoader
from specgrad.nn.data import default_collate as default_collate
from specgrad.nn.data import default_convert as default_convert
from specgrad.nn.data import get_worker_info as get_worker_info
from specgrad.nn.data.dataloader import (
    Collate,
    DatasetKind,
    OneProcessIterator,
    WorkerInit,
    WorkersIterator,
    _LoaderIterator,
)

_BaseDataLoaderIter = _LoaderIterator
_collate_fn_t = Collate
_DatasetKind = DatasetKind
_MultiProcessingDataLoaderIter = WorkersIterator
_SingleProcessDataLoaderIter = OneProcessIterator
_worker_init_fn_t = WorkerInit

def __getattr__(name: str) -> Any: ...
