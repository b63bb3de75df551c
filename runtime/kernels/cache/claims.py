"""Who compiles what: of processes that want the same code one compiles it, and the others wait for it.

A claim is a file beside the entry's, with the number of the process. It ends with the entry, with its process, or when
it is older than anybody's patience. Who gets only the time that nobody else wants makes none: whoever needs an entry
compiles it sooner.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

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
    """Whoever waits need not wait any longer."""
    with suppress(OSError):
        _mark(entry).unlink()


def _mark(entry: Path) -> Path:
    return entry.with_name(f"{entry.name}.claim")


def _others(mark: Path) -> bool:
    """Whether a claim is that of another process, which is there."""
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
