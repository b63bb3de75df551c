"""Where PyTorch keeps writers and readers of folders."""

from ...runtime.distributed.checkpoint.reading import FileSystemReader
from ...runtime.distributed.checkpoint.writing import FileSystemWriter

__all__ = ["FileSystemReader", "FileSystemWriter"]
