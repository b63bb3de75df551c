"""Data pipes that leave samples out, under PyTorch's name; the code is in specgrad.nn.data.pipes."""

from .....nn.data.pipes.iterables import Filter as FilterIterDataPipe

__all__ = ["FilterIterDataPipe"]
