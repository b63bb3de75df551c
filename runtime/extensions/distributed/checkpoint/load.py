"""`load`: every rank reads the parts that it needs, however many ranks have written them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....ops.creation import empty
from ....tensor.tensor import TensorBase
from ...serialization.save_load import load as load_file
from ...serialization.save_load import save as save_file
from .. import buffers
from ..groups.process_group import ProcessGroup
from ..objects import broadcast_object_list
from .errors import run_on_all
from .filesystem import FileSystemReader, Path
from .flattening import Stateful, flattened, nested, put, states
from .metadata import BytesStorageMetadata, Metadata, TensorStorageMetadata
from .save import ranks, save, storage_of
from .shards import Piece, Region, common, piece, placed, spans


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Path | None = None,
    storage_reader: FileSystemReader | None = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Read a checkpoint into a state, in place, as far as the state has names for it.

    All ranks call this. Tensors are written to, other entries replaced; Stateful objects load their state. Of a
    ShardedTensor each rank reads its rows, however many ranks have written them. Shapes and dtypes have to be those
    of the checkpoint. All that will be read is checked before anything is written to.

    Args:
        state_dict: tensors to write to, dicts and lists of these, and Stateful objects such as modules.
        storage_reader: who reads, instead of the folder.
        checkpoint_id, planner, process_group, no_dist: as of `save`.

    Raises:
        CheckpointException: there is no whole checkpoint, a name is missing in it, a shape or dtype is another, or a
            file is missing, truncated or damaged: on any rank, of which all are told.
        DistBackendError: other ranks did not come in time, or have failed.

    Example:
        >>> import tempfile
        >>> import specgrad as sg
        >>> from specgrad.distributed import checkpoint
        >>> state = {"model": sg.nn.Linear(2, 1), "step": 5}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = checkpoint.save(state, checkpoint_id=folder)
        ...     state["step"] = 0
        ...     checkpoint.load(state, checkpoint_id=folder)
        >>> state["step"]
        5
    """
    group = ranks("load", process_group, no_dist, planner)
    reader = storage_of("load", FileSystemReader, checkpoint_id, storage_reader)
    metadata = read_metadata(reader, group)
    state = states(state_dict)
    leaves, paths = flattened(state)
    work = Reading(reader, metadata, leaves)
    run_on_all("load: checking", group, work.check)
    run_on_all("load: reading", group, work.read)
    for name, value in work.objects.items():
        put(state, paths[name], value)
    for key, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(state[key])
        else:
            state_dict[key] = state[key]


def read_metadata(reader: FileSystemReader, group: ProcessGroup | None) -> Metadata:
    """What the first rank has read, for all: a checkpoint may be replaced meanwhile."""
    here = group is None or group.rank() == 0
    matches: list[Any] = [None]

    def read() -> None:
        if here:
            matches[0] = reader.plain_metadata()
            reader.understood(matches[0])

    run_on_all("load: reading the metadata", group, read)
    if group is not None:
        broadcast_object_list(matches, group=group, group_src=0)
    return reader.understood(matches[0])


class Reading:
    """What one rank reads into the leaves of its state: tensors, which are written to, and other entries, by name."""

    def __init__(self, reader: FileSystemReader, metadata: Metadata, leaves: Mapping[str, Any]) -> None:
        self.reader = reader
        self.metadata = metadata
        self.leaves = leaves
        self.objects: dict[str, Any] = {}

    def check(self) -> None:
        """Refuse what does not fit, and what is damaged, before anything is written to."""
        for name, leaf in self.leaves.items():
            if isinstance(leaf, TensorBase):
                self._check_tensor(piece(name, leaf))
                continue
            if not isinstance(self._entry(name), BytesStorageMetadata):
                raise ValueError(f"{name}: the checkpoint has a tensor, but the state to load into something else")
            record = self.metadata.storage_data[name, ()]
            self.reader.check(name, record)
            self.objects[name] = self.reader.object_of(name, record)

    def _check_tensor(self, requested: Piece) -> None:
        regions, item = self._regions(requested)
        for region in regions:
            record = self.metadata.storage_data[requested.name, region.chunk.offsets]
            self.reader.check(requested.name, record)
            for begin, end, _ in spans(region, item):
                self.reader.bytes_of(requested.name, record, begin, end)

    def _entry(self, name: str) -> TensorStorageMetadata | BytesStorageMetadata:
        if name not in self.metadata.state_dict_metadata:
            raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
        return self.metadata.state_dict_metadata[name]

    def _regions(self, requested: Piece) -> tuple[list[Region], int]:
        """And the bytes of an element."""
        entry = self._entry(requested.name)
        if not isinstance(entry, TensorStorageMetadata):
            raise ValueError(f"{requested.name}: the checkpoint has no tensor, but an object")
        if entry.size != requested.shape:
            sizes = f"saved {list(entry.size)} and current: {list(requested.shape)}"
            raise ValueError(f"Size mismatch between {sizes} for {requested.name}")
        saved = entry.properties.dtype
        if saved.name != requested.kind:
            kinds = f"saved {saved.name} and current: {requested.kind}"
            raise ValueError(f"dtype mismatch between {kinds} for {requested.name}")
        return common(entry.chunks, requested.offsets, requested.sizes), saved.itemsize

    def read(self) -> None:
        for name, leaf in self.leaves.items():
            if isinstance(leaf, TensorBase):
                self._read_tensor(name, leaf)

    def _read_tensor(self, name: str, leaf: Any) -> None:
        requested = piece(name, leaf)
        regions, item = self._regions(requested)
        numbers, then = buffers.target("checkpoint.load", leaf)
        into = numbers.view(np.uint8).reshape(*requested.sizes, item)
        for region in regions:
            record = self.metadata.storage_data[name, region.chunk.offsets]
            for begin, end, rows in spans(region, item):
                placed(self.reader.bytes_of(name, record, begin, end), rows, into)
        then()


def read_all(checkpoint_id: Path) -> dict[Any, Any]:
    """A checkpoint as a nested state of whole tensors, with a dict for every mapping and list."""
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
    """Write all that a checkpoint, a folder, has into one file, which `load` reads; this process alone does."""
    save_file(read_all(dcp_checkpoint_dir), torch_save_path)


def torch_save_to_dcp(torch_save_path: Path, dcp_checkpoint_dir: Path) -> None:
    """Write what one file has, which `save` has written, as a checkpoint; this process alone does."""
    save(load_file(torch_save_path, weights_only=True), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
