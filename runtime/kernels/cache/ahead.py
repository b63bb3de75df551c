"""Compiling ahead in other processes, while the first program of a machine waits for its first kernels.

A list has the kernels that training of some programs begins with, those first that a program needs last: so a program
and the processes that go through the list meet in the middle. Which of them it is like they see by what it has asked
for. Where two want the same kernel, one compiles it (claims.py). They end with the program. A line on standard error
says what somebody waits for, while that is a terminal.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from . import store
from .digest import digest, folder_text

LIST = Path(__file__).parents[1] / "first_kernels.txt"
WORKER = f"{__package__.rpartition('.')[0]}.first"  # the module that goes through the list
SETTING = "SPECGRAD_COMPILE_AHEAD"  # 0: no process is started
OWN = f"{__package__.partition('.runtime.')[0]}."
MARK = "# "  # before a program's name
MOST = 3  # processes
ERASE = "\r\033[K"


@functools.cache
def programs() -> dict[str, tuple[str, ...]]:
    """The lines of the list, by the programs after whose names they stand."""
    parts = LIST.read_text(encoding="utf-8").removeprefix(MARK).split(f"\n{MARK}")
    return {name: tuple(lines) for name, *lines in map(str.splitlines, parts)}


def name_in(line: str) -> str:
    """Which kernel a line names: its module and its name."""
    module, name, _ = line.split(" ", 2)
    return f"{module} {name}"


@contextmanager
def waiting(what: str, module: str = "") -> Iterator[None]:
    """Say what is compiled while it is; the first time on a machine other processes begin with the list."""
    if begin():
        _ask(f"{module.removeprefix(OWN)} {what}")
    shown = sys.stderr is not None and sys.stderr.isatty()
    if shown:
        line = f"specgrad: compiling {_of_all() or f'{what}, once per machine'}"
        print(f"{ERASE}{line}", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print(ERASE, end="", file=sys.stderr, flush=True)


@functools.cache
def begin() -> bool:
    """Start the processes, unless others have been through the list, or do so now; whether they were started."""
    count = min(MOST, (os.cpu_count() or 1) - 1)
    mark = progress_file()
    if count < 1 or mark is None or store.archives() or os.environ.get(SETTING) == "0":
        return False
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
        _asked_file(mark).touch()
    except OSError:  # they are there, or nothing can be kept
        return False
    for k in range(count):
        _start(k, count)
    return True


def leave(k: int, whole: bool) -> None:
    """A process ends: where it has not been through the list, those of the next program begin again."""
    mark = progress_file()
    if k == 0 and mark is not None:
        with suppress(OSError):
            _asked_file(mark).unlink()
            if not whole:
                mark.unlink()


def tell(k: int, done: int, needed: int) -> None:
    """Write how many lines have been gone through, and how many the program needs."""
    mark = progress_file()
    if k == 0 and mark is not None:
        with suppress(OSError):
            mark.write_text(f"{done}/{needed}", encoding="ascii")


def asked() -> list[str]:
    """What the program has compiled itself."""
    mark = progress_file()
    with suppress(OSError):
        return [] if mark is None else _asked_file(mark).read_text(encoding="utf-8").splitlines()
    return []


def _ask(name: str) -> None:
    """Let the processes know what is compiled here, while there are any."""
    mark = progress_file()
    if mark is not None:
        with suppress(OSError), open(_asked_file(mark), "r+", encoding="utf-8") as file:
            file.seek(0, os.SEEK_END)
            file.write(f"{name}\n")


def _asked_file(mark: Path) -> Path:
    return mark.with_suffix(".asked")


def _start(k: int, count: int) -> None:
    """A process of its own, which nobody waits for; it does without what it cannot import or write."""
    if not hasattr(os, "posix_spawn"):
        return
    environment = {**os.environ, SETTING: "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    command = [sys.executable, "-m", WORKER, str(k), str(count), str(os.getpid())]
    with suppress(OSError):
        os.posix_spawn(sys.executable, command, environment, file_actions=quiet, setpgroup=0)


def progress_file() -> Path | None:
    """Where the processes write how far they are; None where nothing can be kept."""
    folder = store.kept_in()
    name = digest("first", programs(), folder_text("."), os.environ.get("SPECGRAD_BOUNDS"))
    return None if folder is None else folder / f"{store.key(name, store.host()).hex()}.first"


def _of_all() -> str:
    """Which kernel of how many, while there are processes that go through the list."""
    mark = progress_file()
    with suppress(OSError, ValueError):
        done, needed = map(int, ("" if mark is None else mark.read_text(encoding="ascii")).split("/"))
        return f"{needed} kernels, once per machine: {done}/{needed}" if done < needed else ""
    return ""
