"""`FileSystemReader`: what a checkpoint has, and bytes of its files, of which none is believed without its checksum."""

from __future__ import annotations

import io
import os
from typing import Any
from zlib import crc32

import numpy as np

from ...saving.serialization import load
from .metadata import NAME, Metadata, Stored, decoded
from .writing import BLOCK, Path, folder_of


class FileSystemReader:
    """Reads checkpoints from a folder.

    Args:
        path: the folder.

    Raises:
        TypeError: the path is none.

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
        """What stands in the file, as numbers, texts, lists and dicts."""
        name = os.path.join(self.path, NAME)
        if not os.path.exists(name):
            raise FileNotFoundError(
                f"{self.path} has no {NAME}: it is no checkpoint, or one whose writing has not come to an end"
            )
        return load(name, weights_only=True)

    def understood(self, plain: Any) -> Metadata:
        """The same, checked.

        Raises:
            RuntimeError: it is not what `save` writes.
        """
        try:
            return decoded(plain)
        except (KeyError, ValueError) as error:
            raise RuntimeError(f"{os.path.join(self.path, NAME)} is damaged: {error}") from error

    def check(self, name: str, record: Stored) -> None:
        """Refuse a part whose file is not there, or shorter than it was.

        Raises:
            RuntimeError: so it is.
        """
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
        """Some of a part's bytes, when the checksums of the blocks that they lie in are right.

        Args:
            name: whose, for errors.
            place: where the part lies.
            begin, end: the first byte of the part, and that behind the last.

        Raises:
            RuntimeError: they are damaged.
        """
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
        """An object that is no tensor; no code of the file is run.

        Raises:
            RuntimeError: it is damaged, or of a class that is not declared safe.
        """
        data = self.bytes_of(name, record, 0, record.nbytes)
        return load(io.BytesIO(data.tobytes()), weights_only=True)
