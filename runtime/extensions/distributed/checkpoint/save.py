"""`save`: every rank writes its part, and when all are on the disk the first makes a checkpoint of them."""

import secrets
from collections.abc import Mapping
from typing import Any

from ....tensor.dtypes import from_name
from ..groups.process_group import ProcessGroup
from ..world import is_initialized, member
from .errors import CheckpointException, run_on_all
from .filesystem import FileSystemWriter, Path
from .flattening import flattened, path_of, plain_path, states
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Key,
    Metadata,
    Stored,
    TensorProperties,
    TensorStorageMetadata,
)
from .shards import pieces, read_plain, shared_out


def save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: Path | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Write a state as a checkpoint, whole or not at all, of which every rank writes a part.

    All ranks call this. Of a ShardedTensor each writes its rows; what all have alike, one writes. A checkpoint that is
    there stays valid until the new one is whole and on the disk, whenever a rank is killed. Any number of ranks may
    read it.

    Args:
        state_dict: tensors, plain objects, dicts and lists of these, and Stateful objects such as modules.
        checkpoint_id: the folder.
        storage_writer: who writes, instead of the folder.
        planner: None: no rank writes otherwise than said above.
        process_group: the ranks; the default group when left out, this process alone where there is none.
        no_dist: whether this process writes alone although there is a group.
        use_collectives: True: ranks tell each other what they write.

    Returns:
        What the checkpoint says of itself; on all ranks but the first, nothing.

    Raises:
        CheckpointException: a rank failed; all are told which, and what was there before stays.
        DistBackendError: other ranks did not come in time, or have failed.

    Example:
        >>> import tempfile
        >>> import specgrad as sg
        >>> from specgrad.distributed import checkpoint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = checkpoint.save({"x": sg.ones(2)}, checkpoint_id=folder)
        ...     state = {"x": sg.zeros(2)}
        ...     checkpoint.load(state, checkpoint_id=folder)
        >>> state["x"]
        tensor([1., 1.])
    """
    group = ranks("save", process_group, no_dist, planner)
    writer = storage_of("save", FileSystemWriter, checkpoint_id, storage_writer)
    leaves, paths = flattened(states(state_dict))
    here = group is None or group.rank() == 0

    def prepare() -> list[Any]:
        if here:
            writer.prepare()
        return [secrets.token_hex(8), [one.plain() for one in pieces(leaves)]]

    read_metadata = run_on_all("save: preparing", group, prepare)
    file = f"__{0 if group is None else group.rank()}_{read_metadata[0][0]}.distcp"
    every = [read_plain(own) for _, own in read_metadata]

    def write() -> tuple[list[Any], list[Any]]:
        chosen = shared_out(every)
        rank = 0 if group is None else group.rank()
        own = [one for one in every[rank] if chosen[one.key] == rank]
        records = writer.write(file, [leaves[one.name] for one in own]) if own else []
        ways = [[one.name, plain_path(paths[one.name])] for one in own]
        return [[one.plain(), record.plain()] for one, record in zip(own, records, strict=True)], ways

    metadata = Metadata({})
    try:
        written = run_on_all("save: writing", group, write)
        metadata = _merged_metadata(written) if here else metadata
        run_on_all("save: making it valid", group, lambda: writer.commit(metadata) if here else None)
    except CheckpointException:  # of which all ranks know: nobody has made it valid
        writer.remove(file)
        raise
    return metadata


def ranks(call: str, process_group: Any, no_dist: bool, planner: Any) -> ProcessGroup | None:
    """None where this process is alone."""
    if planner is not None:
        raise ValueError(f"checkpoint.{call}(): planner must be None: which rank writes what is decided here")
    if no_dist or not is_initialized():
        return None
    result = member(process_group)
    if result is None:
        raise ValueError(f"checkpoint.{call}(): this process is not in the given group")
    return result


def storage_of(call: str, kind: type[Any], checkpoint_id: Path | None, value: Any) -> Any:
    if value is None and checkpoint_id is None:
        raise ValueError(f"checkpoint.{call}(): say checkpoint_id, the folder of the checkpoint")
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"checkpoint.{call}(): expected a {kind.__name__}, but got {type(value).__name__}")
    return kind(checkpoint_id) if value is None else value


def _merged_metadata(written: list[Any]) -> Metadata:
    results: dict[str, TensorStorageMetadata | BytesStorageMetadata] = {}
    records: dict[Key, Stored] = {}
    ways = {}
    for own, named in written:
        ways.update({name: path_of(path) for name, path in named})
        for plain, (file, start, nbytes, checksums) in own:
            (one,) = read_plain([plain])
            records[one.key] = Stored(file, start, nbytes, tuple(checksums))
            if one.kind:
                made = TensorStorageMetadata(TensorProperties(from_name(one.kind)), one.shape, [])
                known = results.setdefault(one.name, made)
                assert isinstance(known, TensorStorageMetadata)
                known.chunks.append(ChunkStorageMetadata(one.offsets, one.sizes))
            else:
                results[one.name] = BytesStorageMetadata()
    return Metadata(results, ways, records)
