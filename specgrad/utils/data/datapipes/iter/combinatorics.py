"""Data pipes that choose an order, under PyTorch's name; the code is in specgrad.nn.data.pipes."""

from .....nn.data.pipes.iterables import Shuffler as ShufflerIterDataPipe

__all__ = ["ShufflerIterDataPipe"]
