"""The classes that data pipes derive from, under PyTorch's name."""

from ....nn.data.pipes import IterDataPipe, MapDataPipe

__all__ = ["IterDataPipe", "MapDataPipe"]
