"""Data sets and loaders under PyTorch's name; the code is in specgrad.nn.data."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ... import later as _later
from ...nn import data as _data
from ...nn.data import *
from . import dataloader as dataloader
from . import dataset as dataset
from . import sampler as sampler

if _TYPE_CHECKING:
    from . import _utils as _utils
    from . import datapipes, distributed

_NAMES = {
    "DataChunk": "nn.data.pipes.batches",
    "DistributedSampler": "nn.data.distributed",
    "IterDataPipe": "nn.data.pipes.base",
    "MapDataPipe": "nn.data.pipes.base",
    "functional_datapipe": "nn.data.pipes.base",
}

__all__ = ["dataloader", "datapipes", "dataset", "distributed", "sampler"]
__all__ += _NAMES
__all__ += _data.__all__

__getattr__ = _later.finder(__name__, ("_utils", "datapipes", "distributed"), _NAMES)
__dir__ = _later.listing(__name__, *__all__)
