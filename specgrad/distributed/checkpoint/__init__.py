"""Checkpoints that all ranks write and read together. The code is in specgrad.runtime.distributed.checkpoint."""

from ...runtime.distributed.checkpoint.errors import CheckpointException
from ...runtime.distributed.checkpoint.loading import load
from ...runtime.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from ...runtime.distributed.checkpoint.reading import FileSystemReader
from ...runtime.distributed.checkpoint.saving import save
from ...runtime.distributed.checkpoint.stateful import Stateful
from ...runtime.distributed.checkpoint.writing import FileSystemWriter

__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "FileSystemReader",
    "FileSystemWriter",
    "Metadata",
    "Stateful",
    "TensorStorageMetadata",
    "load",
    "save",
]
