"""Writing a file whole or not at all, and writing to what is no file on a disk.

Whoever is killed while writing leaves nothing, or a file with a name of ours that nobody has locked. The next save in
that folder removes it.
"""

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: nothing can be said of files that somebody left, so they stay
    fcntl = None  # type: ignore[assignment]

_LEFT_OVER = re.compile(r"\.specgrad-[0-9a-f]{16}\.tmp")
_UNNAMED = getattr(os, "O_TMPFILE", 0)  # Linux: a file that vanishes with its last descriptor until it gets a name
_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_DESCRIPTORS = "/proc/self/fd"


def is_seekable(file: Any) -> bool:
    return hasattr(file, "seekable") and file.seekable()


@contextlib.contextmanager
def replacing(path: str | bytes) -> Iterator[Any]:
    """A file to write to that takes the place of `path` when all is written and on the disk.

    It has the mode and, where that is permitted, the owner of the file that is there. Of several that write at once the
    last one stays, whole.
    """
    path = _followed(os.fsdecode(path))
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe has no place to take
        with open(path, "wb") as file:
            yield file
        return
    old = _writable(path)
    _remove_left_overs(os.path.dirname(path))
    with _naming(path):
        descriptor, name = _created(path)
    temporary = _Temporary(descriptor, name)
    try:
        with open(descriptor, "wb") as file:
            mode = None if old is None else _take_over(descriptor, old)
            yield file
            file.flush()
            if mode is not None:  # again: who writes to a file and is not root takes the rights of its owner from it
                _set_mode(descriptor, mode)
            os.fsync(descriptor)
            with _naming(path):
                temporary.replace_target(file, path)
    except BaseException:
        temporary.remove()
        raise
    _write_out_folder(os.path.dirname(path))


class _Temporary:
    """The new file, locked while it has a name, until it takes its place."""

    def __init__(self, descriptor: int, name: str | None) -> None:
        self._descriptor = descriptor
        self._name = name

    def replace_target(self, file: Any, path: str) -> None:
        if self._name is None:
            with contextlib.suppress(FileExistsError):
                self._link(path)
                return
            self._name = _name_beside(path)
            self._link(self._name)
        if fcntl is None:
            file.close()  # Windows renames no file that is open
        os.replace(self._name, path)

    def _link(self, name: str) -> None:
        """Give the file a name that nobody has; beside a folder, os.link follows the link that a descriptor is."""
        folder = os.open(_DESCRIPTORS, os.O_RDONLY | _PLAIN)
        try:
            os.link(str(self._descriptor), name, src_dir_fd=folder)
        finally:
            os.close(folder)

    def remove(self) -> None:
        if self._name is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._name)


def _followed(path: str) -> str:
    result = os.path.realpath(path)
    if os.path.islink(result):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    return result


def _writable(path: str) -> os.stat_result | None:
    """The status of the file that is there, None where none is; PermissionError where it could not be written to."""
    try:
        result = os.stat(path)
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return result


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Errors name the path that the user gave, and not the file beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error


def _name_beside(path: str) -> str:
    return os.path.join(os.path.dirname(path), f".specgrad-{secrets.token_hex(8)}.tmp")


def _created(path: str) -> tuple[int, str | None]:
    """A new file in the folder of `path`, locked: without a name where the system can give it one later."""
    if _UNNAMED and os.path.isdir(_DESCRIPTORS):
        with contextlib.suppress(OSError):
            descriptor = os.open(os.path.dirname(path), _UNNAMED | os.O_WRONLY | _PLAIN, 0o666)
            _lock(descriptor)
            return descriptor, None
    while True:
        name = _name_beside(path)
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o666)
        _lock(descriptor)
        if os.path.exists(name):
            return descriptor, name
        os.close(descriptor)  # somebody took it for left over before it was locked


def _lock(descriptor: int) -> None:
    """Say that the file is in use, for as long as it is open; some file systems know no locks."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _remove_left_overs(folder: str) -> None:
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _LEFT_OVER.fullmatch(entry.name):
                _remove_abandoned(entry.path)


def _remove_abandoned(name: str) -> None:
    """Remove a file of ours unless somebody has locked it. No name comes twice, so it cannot be another by now."""
    with contextlib.suppress(OSError):
        descriptor = os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | _PLAIN)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name)
        finally:
            os.close(descriptor)


def _take_over(descriptor: int, old: os.stat_result) -> int | None:
    """Give the file the owner of the old one if we may, and its mode; rights of an owner that it lost do not stay.

    Returns the mode, None where the system does not change that of an open file.
    """
    if os.chmod not in os.supports_fd:
        return None
    mode, new = stat.S_IMODE(old.st_mode), os.fstat(descriptor)
    for owner, group in ((old.st_uid, -1), (-1, old.st_gid)):
        if owner in (-1, new.st_uid) and group in (-1, new.st_gid):
            continue
        try:
            os.chown(descriptor, owner, group)
        except OSError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    _set_mode(descriptor, mode)
    return mode


def _set_mode(descriptor: int, mode: int) -> None:
    with contextlib.suppress(OSError):  # some file systems know no modes
        os.chmod(descriptor, mode)


def _write_out_folder(folder: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | _PLAIN)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
