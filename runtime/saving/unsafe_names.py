"""What a file names that `load` does not call: found without reading the file's objects."""

from __future__ import annotations

import os
import pickletools
from collections.abc import Iterator
from typing import IO, Any

from ..errors import SerializationError
from .archive import Archive
from .pickle_names import find


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """The classes and functions that a file of `save` names and `load` does not know: for `add_safe_globals`.

    Args:
        f: a path, or an object with `read` and `seek`.

    Raises:
        RuntimeError: the file is no archive of `save` or `torch.save`.

    Example:
        >>> import io, specgrad as sg
        >>> file = io.BytesIO()
        >>> sg.save({"weight": sg.ones(2)}, file)
        >>> sg.serialization.get_unsafe_globals_in_checkpoint(file)
        []
    """
    if hasattr(f, "read"):
        return _unknown(f)
    with open(os.fspath(f), "rb") as file:
        return _unknown(file)


def _unknown(file: Any) -> list[str]:
    try:
        archive = Archive(file)
        archive.leave_unchecked()
        member = next(name for name in archive if name.endswith("/data.pkl"))
        named = list(dict.fromkeys(_names(archive.read(member).tobytes())))
    except (ValueError, StopIteration) as error:
        reason = f"get_unsafe_globals_in_checkpoint(): expected an archive of save, but the file is none ({error})"
        raise SerializationError(reason) from error
    return [f"{module}.{name}" for module, name in named if not _is_known(module, name)]


def _is_known(module: str, name: str) -> bool:
    try:
        find(module, name)
    except SerializationError:
        return False
    return True


def _names(pickled: bytes) -> Iterator[tuple[str, str]]:
    """Modules and names in them, also those that the stack has as texts."""
    strings: list[str] = []
    for operation, argument, _ in pickletools.genops(pickled):
        if operation.name == "GLOBAL":
            module, _, name = str(argument).partition(" ")
            yield module, name
        elif operation.name == "STACK_GLOBAL" and len(strings) > 1:
            yield strings[-2], strings[-1]
        elif isinstance(argument, str):
            strings.append(argument)
