"""Writing a file whole or not at all, and writing to what is no file on a disk."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from typing import Any


class Stream:
    """A file of which only `write` is used: `zipfile` counts the bytes itself."""

    def __init__(self, file: Any) -> None:
        self.write = file.write

    def flush(self) -> None:
        """Nothing is held back here."""


def is_seekable(file: Any) -> bool:
    """Whether the object knows its position and can change it."""
    return hasattr(file, "seekable") and file.seekable()


@contextlib.contextmanager
def replacing(path: str) -> Iterator[Any]:
    """A file to write to that takes the place of `path` when all is written and on the disk."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe has no place to take
        with open(path, "wb") as file:
            yield Stream(file)
        return
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
