"""Data pipes that call a function, under PyTorch's name; the code is in specgrad.nn.data.pipes."""

from .....nn.data.pipes.batches import Collator as CollatorIterDataPipe
from .....nn.data.pipes.iterables import Mapper as MapperIterDataPipe

__all__ = ["CollatorIterDataPipe", "MapperIterDataPipe"]
