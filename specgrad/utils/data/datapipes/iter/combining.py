"""Data pipes that join others, under PyTorch's name; the code is in specgrad.nn.data.pipes."""

from .....nn.data.pipes.iterables import Concater as ConcaterIterDataPipe
from .....nn.data.pipes.iterables import Zipper as ZipperIterDataPipe

__all__ = ["ConcaterIterDataPipe", "ZipperIterDataPipe"]
