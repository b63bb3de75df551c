"""Loading in batches under PyTorch's name; the code is in specgrad.nn.data."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from ...nn.data import DataLoader, default_collate, default_convert, get_worker_info
from ...nn.data.dataloader import DatasetKind as _DatasetKind  # noqa: F401
from ...nn.data.iterators import OneProcessIterator as _SingleProcessDataLoaderIter  # noqa: F401
from ...nn.data.iterators import WorkersIterator as _MultiProcessingDataLoaderIter  # noqa: F401
from ...nn.data.iterators import _LoaderIterator as _BaseDataLoaderIter  # noqa: F401
from ...nn.modules.borrowed import borrowed as _borrowed

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_collate_fn_t = _Callable[[list[_Any]], _Any]
_worker_init_fn_t = _Callable[[int], None]

__getattr__ = _borrowed(__name__, "utils.data")
