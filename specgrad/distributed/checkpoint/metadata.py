"""What a checkpoint says of itself, under PyTorch's name."""

from ...runtime.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorProperties,
    TensorStorageMetadata,
)

__all__ = [
    "BytesStorageMetadata",
    "ChunkStorageMetadata",
    "Metadata",
    "TensorProperties",
    "TensorStorageMetadata",
]
