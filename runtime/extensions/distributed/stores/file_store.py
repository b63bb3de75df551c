"""A store in a file: what has been done to the table, one call behind the other, under a lock of the file."""

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from ..groups.errors import DistStoreError
from . import table
from .store import Store
from .table import CHANGING, Table

_ENDED = b"\0ended"  # how many objects have come to their end: no key of a program's begins so


class FileStore(Store):
    """A store of processes that see one file: each change is a line of the file.

    A call locks the file, does what others have written meanwhile to a table of its own, and writes what it changes. A
    line that a process has not written to its end, as it was killed, is dropped. The file goes with the last of
    `world_size` objects.

    Args:
        file_name: the file, which need not be there.
        world_size: how many processes use it; a number below 1 where nobody knows, and the file stays.

    Raises:
        OSError: it cannot be opened.
        NotImplementedError: the system has no locks of whole files: Windows.

    Example:
        >>> import os, tempfile
        >>> from specgrad import distributed
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     first = distributed.FileStore(os.path.join(folder, "store"), 2)
        ...     second = distributed.FileStore(os.path.join(folder, "store"), 2)
        ...     first.set("first_key", "first_value")
        ...     print(second.get("first_key"))
        b'first_value'
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        if not isinstance(file_name, str | os.PathLike):
            raise TypeError(f"FileStore(): argument 'file_name' must be a str, not {type(file_name).__name__}")
        if fcntl is None:
            raise NotImplementedError("FileStore: this system does not lock files: take a TCPStore")
        self.path = os.fspath(file_name)
        self._lines = _Lines(self.path)
        self._lines.call("keys")  # makes the file, or fails now
        self._finalizer = weakref.finalize(self, _end, self._lines, int(world_size), os.getpid())

    def list_keys(self) -> list[str]:
        return [key for key in super().list_keys() if not key.startswith("\0")]

    def num_keys(self) -> int:
        """How many keys there are, and one that stands for those who use the file, as in PyTorch."""
        return super().num_keys() + 1

    def clone(self) -> "FileStore":
        """Another object for the same file, beyond the `world_size` that there are."""
        result = FileStore(self.path)
        result._timeout = self._timeout
        return result

    def _call(self, name: str, *fields: bytes) -> list[bytes]:
        return self._lines.call(name, *fields)


class _Lines:
    def __init__(self, path: str) -> None:
        self.path = path
        self._table = Table()
        self._read = 0  # bytes of whole lines that the table has
        self._lock = threading.Lock()

    def call(self, name: str, *fields: bytes) -> list[bytes]:
        with self._lock, self._locked() as file:
            self._catch_up(file)
            answer = self._table.call(name, *fields)
            if name in CHANGING:
                self._write(file, table.packed([name.encode(), *fields]))
            return answer

    @contextmanager
    def _locked(self) -> Iterator[IO[bytes]]:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # closing the file ends it
            yield file

    def _catch_up(self, file: IO[bytes]) -> None:
        """Do to the table what the file has more; cut off what ends within a line."""
        size = os.fstat(file.fileno()).st_size
        if size < self._read:
            raise DistStoreError(f"FileStore: {self.path} has become shorter than what was read of it")
        file.seek(self._read)
        while self._read < size:
            try:
                name, *fields = table.unpacked(file.read)
                self._table.call(name.decode("ascii", "replace"), *fields)
            except table.Ended:
                file.truncate(self._read)
                return
            except (table.Malformed, ValueError, TypeError) as error:
                raise DistStoreError(f"FileStore: {self.path} is no store's file ({error})") from None
            self._read = file.tell()

    def _write(self, file: IO[bytes], line: bytes) -> None:
        file.seek(self._read)
        while line:
            line = line[file.write(line) :]
        self._read = file.tell()


def _end(lines: _Lines, world_size: int, process: int) -> None:
    """One object less; the file goes with the last one of `world_size`. Copies in forked processes count not."""
    if os.getpid() != process:
        return
    with suppress(OSError, DistStoreError):  # the file is gone with its folder
        if int(lines.call("add", _ENDED, b"1")[0]) == world_size:
            os.unlink(lines.path)
