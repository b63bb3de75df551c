"""PyTorch's `torch.distributed.checkpoint.metadata`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.checkpoint.metadata import BytesStorageMetadata as BytesStorageMetadata
from specgrad.runtime.extensions.distributed.checkpoint.metadata import ChunkStorageMetadata as ChunkStorageMetadata
from specgrad.runtime.extensions.distributed.checkpoint.metadata import Metadata as Metadata
from specgrad.runtime.extensions.distributed.checkpoint.metadata import TensorProperties as TensorProperties
from specgrad.runtime.extensions.distributed.checkpoint.metadata import TensorStorageMetadata as TensorStorageMetadata
