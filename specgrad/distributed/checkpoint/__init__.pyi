"""PyTorch's `torch.distributed.checkpoint`, by names: written from `torch_names.py`."""

from specgrad.runtime.distributed.checkpoint.errors import CheckpointException as CheckpointException
from specgrad.runtime.distributed.checkpoint.loading import load as load
from specgrad.runtime.distributed.checkpoint.metadata import BytesStorageMetadata as BytesStorageMetadata
from specgrad.runtime.distributed.checkpoint.metadata import ChunkStorageMetadata as ChunkStorageMetadata
from specgrad.runtime.distributed.checkpoint.metadata import Metadata as Metadata
from specgrad.runtime.distributed.checkpoint.metadata import TensorStorageMetadata as TensorStorageMetadata
from specgrad.runtime.distributed.checkpoint.reading import FileSystemReader as FileSystemReader
from specgrad.runtime.distributed.checkpoint.saving import save as save
from specgrad.runtime.distributed.checkpoint.stateful import Stateful as Stateful
from specgrad.runtime.distributed.checkpoint.writing import FileSystemWriter as FileSystemWriter

from . import api as api
from . import filesystem as filesystem
from . import format_utils as format_utils
from . import metadata as metadata
from . import state_dict as state_dict
from . import stateful as stateful
