"""`FileSystemWriter` writes the file of a rank's parts, and the file that makes a checkpoint of all ranks' files.

`FileSystemReader` reads them; no bytes are believed without their checksum.
"""

import contextlib
import io
import os
from typing import Any

import numpy as np

from ....tensor.tensor import TensorBase
from ...serialization.atomic_file import replacing
from ...serialization.save_load import load, save
from ...serialization.zip_archive import crc32
from ..buffers import numbers
from .metadata import DATA, NAME, Metadata, Stored, decoded, encoded

BLOCK = 2**20  # bytes that have a checksum of their own: what is read is checked, and no more is read for that
_ALIGNMENT = 64
Path = str | os.PathLike[str]


def folder_of(call: str, path: Any) -> str:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{call}(): argument 'path' must be a str or os.PathLike, but got {type(path).__name__}")
    return os.fspath(path)


class FileSystemWriter:
    """Writes checkpoints into a folder that all ranks see.

    Args:
        path: the folder; it is made where there is none.
        single_file_per_rank: True, which is what is written.
        sync_files: True: a checkpoint is valid only when it is on the disk.
        thread_count, per_thread_copy_ahead, cache_staged_state_dict: not looked at.
        overwrite: whether a checkpoint that is there may be replaced; it stays until the new one is whole.

    Raises:
        TypeError: the path is none.

    Example:
        >>> from specgrad.distributed.checkpoint import FileSystemWriter
        >>> FileSystemWriter("checkpoints/7").path
        'checkpoints/7'
    """

    def __init__(
        self,
        path: Path,
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
    ) -> None:
        self.path = folder_of("FileSystemWriter", path)
        self.overwrite = overwrite

    def prepare(self) -> None:
        os.makedirs(self.path, exist_ok=True)
        if not self.overwrite and os.path.exists(os.path.join(self.path, NAME)):
            raise RuntimeError(f"{self.path}: Checkpoint already exists and overwrite=False.")

    def write(self, file: str, values: list[Any]) -> list[Stored]:
        """Write tensors and objects into a new file, whole or not at all, and to the disk; where each is."""
        matches = []
        with replacing(os.path.join(self.path, file)) as stream:
            position = 0
            for value in values:
                data = _bytes(value)
                missing = -position % _ALIGNMENT
                stream.write(bytes(missing))
                position += missing
                checksums = [crc32(data[start : start + BLOCK].data) for start in range(0, data.size, BLOCK)]
                stream.write(data.data)
                matches.append(Stored(file, position, data.size, tuple(checksums)))
                position += data.size
        return matches

    def commit(self, metadata: Metadata) -> None:
        """Make the checkpoint valid, in place of one that was there; then remove the files of that."""
        save(encoded(metadata), os.path.join(self.path, NAME))
        self._keep({record.file for record in metadata.storage_data.values()})

    def _keep(self, files: set[str]) -> None:
        """Remove data files that are not part of the checkpoint: of older ones, or of ranks that died."""
        with contextlib.suppress(OSError), os.scandir(self.path) as entries:  # the checkpoint is valid all the same
            for entry in entries:
                if DATA.fullmatch(entry.name) and entry.name not in files:
                    self.remove(entry.name)

    def remove(self, file: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.path, file))


def _bytes(value: Any) -> np.ndarray:
    if isinstance(value, TensorBase):
        return numbers(value).view(np.uint8)
    file = io.BytesIO()
    save(value, file)
    return np.frombuffer(file.getbuffer(), np.uint8)


class FileSystemReader:
    """Reads checkpoints from a folder, `path`.

    Example:
        >>> import tempfile
        >>> import specgrad as sg
        >>> from specgrad.distributed import checkpoint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = checkpoint.save({"x": sg.ones(2, 3)}, checkpoint_id=folder)
        ...     found = checkpoint.FileSystemReader(folder).read_metadata()
        >>> found.state_dict_metadata["x"].size
        (2, 3)
    """

    def __init__(self, path: Path) -> None:
        self.path = folder_of("FileSystemReader", path)

    def read_metadata(self) -> Metadata:
        """What the checkpoint says of itself.

        Raises:
            FileNotFoundError: there is no checkpoint, or none that is whole.
            RuntimeError: its file is damaged.
        """
        return self.understood(self.plain_metadata())

    def plain_metadata(self) -> Any:
        name = os.path.join(self.path, NAME)
        if not os.path.exists(name):
            raise FileNotFoundError(
                f"{self.path} has no {NAME}: it is no checkpoint, or one whose writing has not come to an end"
            )
        return load(name, weights_only=True)

    def understood(self, plain: Any) -> Metadata:
        try:
            return decoded(plain)
        except (KeyError, ValueError) as error:
            raise RuntimeError(f"{os.path.join(self.path, NAME)} is damaged: {error}") from error

    def check(self, name: str, record: Stored) -> None:
        file = os.path.join(self.path, record.file)
        try:
            size = os.path.getsize(file)
        except OSError as error:
            raise RuntimeError(f"{name}: its file {file} cannot be read: {error}") from error
        if size < record.start + record.nbytes:
            raise RuntimeError(
                f"{name}: its file {file} is truncated: it has {size} bytes, and {name} lies at {record.start} to "
                f"{record.start + record.nbytes}"
            )
        if len(record.checksums) != -(-record.nbytes // BLOCK):
            raise RuntimeError(f"{name}: {record.nbytes} bytes have {len(record.checksums)} checksums")

    def bytes_of(self, name: str, record: Stored, begin: int, end: int) -> np.ndarray:
        """Bytes `begin` to `end` of a part, when the checksums of the blocks that they lie in are right."""
        first, last = begin // BLOCK, -(-end // BLOCK)
        result = np.empty(min(last * BLOCK, record.nbytes) - first * BLOCK, np.uint8)
        file = os.path.join(self.path, record.file)
        with open(file, "rb") as stream:
            stream.seek(record.start + first * BLOCK)
            if stream.readinto(result.data) != result.size:
                raise RuntimeError(f"{name}: its file {file} ends early")
        for number in range(first, last):
            block = result[(number - first) * BLOCK : (number - first + 1) * BLOCK]
            if crc32(block.data) != record.checksums[number]:
                raise RuntimeError(
                    f"{name}: its file {file} is damaged between bytes {record.start + number * BLOCK} and "
                    f"{record.start + number * BLOCK + block.size}: they do not have the checksum that they had"
                )
        return result[begin - first * BLOCK : end - first * BLOCK]

    def object_of(self, name: str, record: Stored) -> Any:
        """An object that is no tensor; no code of the file is run."""
        data = self.bytes_of(name, record, 0, record.nbytes)
        return load(io.BytesIO(data.tobytes()), weights_only=True)
