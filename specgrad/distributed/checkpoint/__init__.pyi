"""PyTorch's `torch.distributed.checkpoint`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.checkpoint.errors import CheckpointException as CheckpointException
from specgrad.runtime.extensions.distributed.checkpoint.filesystem import FileSystemReader as FileSystemReader
from specgrad.runtime.extensions.distributed.checkpoint.filesystem import FileSystemWriter as FileSystemWriter
from specgrad.runtime.extensions.distributed.checkpoint.flattening import Stateful as Stateful
from specgrad.runtime.extensions.distributed.checkpoint.load import load as load
from specgrad.runtime.extensions.distributed.checkpoint.metadata import BytesStorageMetadata as BytesStorageMetadata
from specgrad.runtime.extensions.distributed.checkpoint.metadata import ChunkStorageMetadata as ChunkStorageMetadata
from specgrad.runtime.extensions.distributed.checkpoint.metadata import Metadata as Metadata
from specgrad.runtime.extensions.distributed.checkpoint.metadata import TensorStorageMetadata as TensorStorageMetadata
from specgrad.runtime.extensions.distributed.checkpoint.save import save as save

from . import api as api
from . import filesystem as filesystem
from . import format_utils as format_utils
from . import metadata as metadata
from . import state_dict as state_dict
from . import stateful as stateful
