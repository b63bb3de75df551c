"""PyTorch's `torch.distributed.checkpoint.filesystem`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.checkpoint.filesystem import FileSystemReader as FileSystemReader
from specgrad.runtime.extensions.distributed.checkpoint.filesystem import FileSystemWriter as FileSystemWriter
