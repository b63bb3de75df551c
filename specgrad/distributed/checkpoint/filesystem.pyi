"""PyTorch's `torch.distributed.checkpoint.filesystem`, by names: written from `torch_names.py`."""

from specgrad.runtime.distributed.checkpoint.reading import FileSystemReader as FileSystemReader
from specgrad.runtime.distributed.checkpoint.writing import FileSystemWriter as FileSystemWriter
