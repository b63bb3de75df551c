"""Data sets and loaders under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn import data as _data
from ...nn.data import *
from . import dataloader as dataloader
from . import dataset as dataset
from . import sampler as sampler

__all__ = ["dataloader", "dataset", "sampler"]
__all__ += _data.__all__
