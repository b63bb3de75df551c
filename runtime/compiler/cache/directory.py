"""The folder of what this user's programs have compiled, kept within bounds, and who compiles what: of processes that
want the same code one compiles it. A claim is a file beside the entry's, with the number of the process; it ends with
the entry, with its process, or when it is too old. Who gets only the time that nobody else wants makes none."""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

MAX_CACHE_BYTES = 1 << 30  # bytes; beyond them what was used longest ago goes
ENOUGH = MAX_CACHE_BYTES * 3 // 4  # what is left then
LOOKED_AT = 64  # how many files a process writes before it looks again at how much there is
DAY = 86400


def cache_path(kind: str, own: str = "") -> Path | None:
    """Where entries of a kind lie: in a folder that a variable names, or SPECGRAD_CACHE_DIR, or specgrad in
    XDG_CACHE_HOME, or in ~/.cache."""
    if own and os.environ.get(own):
        return Path(os.environ[own])
    if os.environ.get("SPECGRAD_CACHE_DIR"):
        return Path(os.environ["SPECGRAD_CACHE_DIR"]) / kind
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "specgrad" / kind
    except RuntimeError:  # the user has no home
        return None


def read(path: Path) -> bytes | None:
    try:
        with open(path, "rb") as file:
            result = file.read()
            if time.time() - os.fstat(file.fileno()).st_mtime > DAY:
                with suppress(OSError):  # somebody else's
                    os.utime(file.fileno())
    except OSError:
        return None
    return result


def write(path: Path, data: bytes) -> None:
    """Write a file at once, so that who looks finds none or a whole one; a folder that refuses it is no error."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        return
    written = _written.get(path.parent, 0)
    _written[path.parent] = written + 1
    if written % LOOKED_AT == 0:
        prune(path.parent)


def prune(folder: Path, max_bytes: int = MAX_CACHE_BYTES, enough: int = ENOUGH) -> None:
    """Delete what was used longest ago, where there is more than `most`, until no more than `enough` is left."""
    with suppress(OSError):  # other processes delete too
        with os.scandir(folder) as entries:
            matches = [(entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in entries]
        total = sum(size for _, size, _ in matches)
        if total <= max_bytes:
            return
        for _, size, path in sorted(matches):
            if total <= enough:
                return
            with suppress(OSError):
                os.unlink(path)
            total -= size


_written: dict[Path, int] = {}  # how many files this process has written, by their folders


PATIENCE = 60.0  # seconds


def claim(entry: Path) -> bool:
    """Whether this process is to compile an entry; False where another one has begun to."""
    mark = _mark(entry)
    if _aside:
        return not (mark.exists() and _others(mark))
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        with open(mark, "x", encoding="ascii") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return not _others(mark)
    except OSError:  # nobody can write there
        return True
    return True


def stand_aside() -> None:
    """Let nobody wait for this process from now on."""
    _aside.append(None)


_aside: list[None] = []


def release(entry: Path) -> None:
    with suppress(OSError):
        _mark(entry).unlink()


def _mark(entry: Path) -> Path:
    return entry.with_name(f"{entry.name}.claim")


def _others(mark: Path) -> bool:
    try:
        age, owner = time.time() - mark.stat().st_mtime, mark.read_text(encoding="ascii")
        if age > PATIENCE:
            return False
        if owner:  # else it is being written
            os.kill(int(owner), 0)
    except PermissionError:  # there, and another user's
        return True
    except (OSError, ValueError):  # no such process, no such claim any more, or nobody's
        return False
    return owner != str(os.getpid())
