"""Compiling ahead in other processes, while the first program of a machine waits for its first kernels.

A list has the kernels that training begins with, those first that a program needs last: so a program and the processes
that go through the list meet in the middle. Where two want the same kernel, one compiles it (claims.py). A line on
standard error says what somebody waits for, while that is a terminal.
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
MOST = 3  # processes
ERASE = "\r\033[K"


@functools.cache
def kernels() -> tuple[str, ...]:
    """The lines of the list."""
    return tuple(LIST.read_text(encoding="utf-8").splitlines())


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is compiled while it is; the first time on a machine other processes begin with the list."""
    begin()
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
def begin() -> None:
    """Start the processes, if none has been for these kernels."""
    count = min(MOST, (os.cpu_count() or 1) - 1)
    mark = progress_file()
    if count < 1 or mark is None or store.archives() or os.environ.get(SETTING) == "0":
        return
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
    except OSError:  # they are there, or nothing can be kept
        return
    for k in range(count):
        _start(k, count)


def _start(k: int, count: int) -> None:
    """A process of its own, which nobody waits for; it does without what it cannot import or write."""
    if not hasattr(os, "posix_spawn"):
        return
    environment = {**os.environ, SETTING: "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    command = [sys.executable, "-m", WORKER, str(k), str(count)]
    with suppress(OSError):
        os.posix_spawn(sys.executable, command, environment, file_actions=quiet, setpgroup=0)


def progress_file() -> Path | None:
    """Where the processes write how far they are; None where nothing can be kept."""
    folder = store.kept_in()
    name = digest("first", kernels(), folder_text("."), os.environ.get("SPECGRAD_BOUNDS"))
    return None if folder is None else folder / f"{store.key(name, store.host()).hex()}.first"


def _of_all() -> str:
    """Which kernel of how many, while there are processes that go through the list."""
    mark = progress_file()
    with suppress(OSError):
        done = "" if mark is None else mark.read_text(encoding="ascii")
        count = len(kernels())
        return f"{count} kernels, once per machine: {done}/{count}" if done.isdigit() and int(done) < count else ""
    return ""
