"""The members of a checkpoint by their names, as PyTorch's reader of archives gives them."""

from __future__ import annotations

import os
from typing import IO, Any

from .archive import Archive


class PyTorchFileReader:
    """The members of an archive that `save` or PyTorch has written; their names are those below its one folder.

    Args:
        file: its path, or a file that can be searched.

    Raises:
        ValueError: it is no such archive.

    Example:
        >>> import io
        >>> import specgrad as sg
        >>> file = io.BytesIO()
        >>> sg.save([1, 2], file)
        >>> reader = sg.PyTorchFileReader(file)
        >>> reader.has_record("data.pkl"), reader.get_record("version")
        (True, b'3\\n')
    """

    def __init__(self, file: str | os.PathLike[str] | IO[bytes]) -> None:
        self._is_own = isinstance(file, str | os.PathLike)
        if not self._is_own and not hasattr(file, "seek"):
            raise TypeError(f"PyTorchFileReader(): expected a file or its name, but got {type(file).__name__}")
        self._file: Any = open(file, "rb") if isinstance(file, str | os.PathLike) else file  # noqa: SIM115
        self._archive = Archive(self._file)
        self._archive.leave_unchecked()
        self._members = {name.partition("/")[2]: name for name in self._archive}

    def __del__(self) -> None:
        if self._is_own:
            self._file.close()

    def get_all_records(self) -> list[str]:
        """The names of all members."""
        return list(self._members)

    def has_record(self, name: str) -> bool:
        """Whether there is a member `name`."""
        return name in self._members

    def get_record(self, name: str) -> bytes:
        """The bytes of the member `name`; a RuntimeError where there is none."""
        return self._archive.read(self._member(name)).tobytes()

    def get_record_size(self, name: str) -> int:
        """How many bytes the member `name` has."""
        return self._archive.locate(self._member(name))[1]

    def get_record_offset(self, name: str) -> int:
        """Where the bytes of the member `name` begin in the file."""
        return self._archive.locate(self._member(name))[0]

    def _member(self, name: str) -> str:
        if name not in self._members:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found.")
        return self._members[name]
