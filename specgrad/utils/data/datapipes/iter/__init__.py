"""Steps of data pipes that are iterated, under PyTorch's name."""

from .....nn.data.pipes import IterDataPipe
from .....nn.data.pipes.batches import Batcher, Collator, UnBatcher
from .....nn.data.pipes.iterables import Concater, Filter, IterableWrapper, Mapper, Shuffler, Zipper

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Filter",
    "IterDataPipe",
    "IterableWrapper",
    "Mapper",
    "Shuffler",
    "UnBatcher",
    "Zipper",
]
