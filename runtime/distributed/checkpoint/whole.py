"""Checkpoints as single files, and single files as checkpoints."""

from __future__ import annotations

from typing import Any

from ...creation import empty
from ...saving.serialization import load as load_file
from ...saving.serialization import save as save_file
from .flattening import nested
from .loading import Reading
from .metadata import BytesStorageMetadata
from .reading import FileSystemReader
from .saving import save
from .writing import Path


def read_all(checkpoint_id: Path) -> dict[Any, Any]:
    """All that a checkpoint has, as a nested state of whole tensors, with a dict for every mapping and list.

    Args:
        checkpoint_id: the folder.

    Raises:
        FileNotFoundError: there is no checkpoint, or none that is whole.
        RuntimeError: a file is missing, truncated or damaged.
    """
    reader = FileSystemReader(checkpoint_id)
    metadata = reader.read_metadata()
    leaves = {
        name: None if isinstance(one, BytesStorageMetadata) else empty(one.size, dtype=one.properties.dtype)
        for name, one in metadata.state_dict_metadata.items()
    }
    work = Reading(reader, metadata, leaves)
    work.check()
    work.read()
    return nested({**leaves, **work.objects}, metadata.planner_data)


def dcp_to_torch_save(dcp_checkpoint_dir: Path, torch_save_path: Path) -> None:
    """Write all that a checkpoint has into one file, which `load` reads; this process alone does.

    Args:
        dcp_checkpoint_dir: the checkpoint's folder.
        torch_save_path: the file.
    """
    save_file(read_all(dcp_checkpoint_dir), torch_save_path)


def torch_save_to_dcp(torch_save_path: Path, dcp_checkpoint_dir: Path) -> None:
    """Write what one file has, which `save` has written, as a checkpoint; this process alone does.

    Args:
        torch_save_path: the file.
        dcp_checkpoint_dir: the checkpoint's folder.
    """
    save(load_file(torch_save_path, weights_only=True), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
