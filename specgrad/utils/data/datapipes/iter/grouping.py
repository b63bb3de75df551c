"""Data pipes of batches, under PyTorch's name; the code is in specgrad.nn.data.pipes."""

from .....nn.data.pipes.batches import Batcher as BatcherIterDataPipe
from .....nn.data.pipes.batches import UnBatcher as UnBatcherIterDataPipe

__all__ = ["BatcherIterDataPipe", "UnBatcherIterDataPipe"]
