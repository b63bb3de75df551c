"""Compiling ahead in other processes, while the first program of a machine waits for its first kernels. A list has the
kernels that training of some programs begins with, in order. Processes begin with those needed last; the program
compiles what it needs, and while it waits, what it will need next: so they meet in the middle."""

import functools
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from . import store
from .digest import digest, folder_source
from .progress import progress, subject

LIST = Path(__file__).parents[2] / "kernels" / "first_kernels.txt"
WORKER = f"{__package__.partition('.compiler.')[0]}.kernels.warmup"  # the module that goes through the list
SETTING = "SPECGRAD_COMPILE_AHEAD"  # 0: no process is started
OWN = f"{__package__.partition('.runtime.')[0]}."
MARK = "# "  # before a program's name
MAX_WORKER_PROCESSES = 3  # processes


class CompiledElsewhere(Exception):
    """Another process compiles what this one would compile ahead."""


class Program(NamedTuple):
    """The lines of a program, in the order in which it asks for the kernels."""

    first: tuple[str, ...]  # up to the end of the first step of its optimizer
    later: tuple[str, ...]


@functools.cache
def programs() -> dict[str, Program]:
    """The programs of the list by their names; an empty line parts what they ask for later from the rest."""
    result = dict[str, Program]()
    for part in LIST.read_text(encoding="utf-8").rstrip().removeprefix(MARK).split(f"\n{MARK}"):
        name, _, lines = f"{part}\n".partition("\n")
        first, _, later = lines.partition("\n\n")
        result[name] = Program(tuple(first.splitlines()), tuple(later.splitlines()))
    return result


def name_in(line: str) -> str:
    module, name, _ = line.split(" ", 2)
    return f"{module} {name}"


def name_of(module: str, name: str) -> str:
    return f"{module.removeprefix(OWN)} {name}"


def note(module: str, name: str) -> None:
    if _started and not _passing:
        _ask(name_of(module, name))


@contextmanager
def waiting(what: str, module: str = "") -> Iterator[None]:
    """Say that something is compiled while it is; the first time on a machine other processes begin with the list."""
    if begin() and not _passing:
        _ask(name_of(module, what))
    with progress.waiting(subject(what, module), bool(_started)):
        yield


def meanwhile() -> None:
    """While another process compiles what this one needs: compile something else that it is going to need."""
    if _passing:
        raise CompiledElsewhere
    if not (begin() and importlib.import_module(WORKER).compile_next()):
        store.pause()


@contextmanager
def passing_over() -> Iterator[None]:
    """Compile what nobody waits for yet: what another process has begun is left to it, by a CompiledElsewhere."""
    _passing.append(None)
    try:
        yield
    finally:
        _passing.pop()


_passing: list[None] = []  # only who holds the compiler's lock looks here


def begin_early() -> None:
    """Start the processes where nothing has ever been kept: they load the compiler while this one does."""
    folder = store.cache_folder()
    if folder is not None and not folder.is_dir():
        begin()


@functools.cache
def begin() -> bool:
    """Start the processes, unless others have been through the list, or do so now; whether they were started."""
    count = min(MAX_WORKER_PROCESSES, (os.cpu_count() or 1) - 1)
    if count < 1 or os.environ.get(SETTING) == "0" or store.archives():
        return False
    mark = mark_file()
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
        _request_file(mark).touch()
    except OSError:  # they are there, or nothing can be kept
        return False
    for k in range(count):
        _start(k)
    _started.append(None)
    return True


_started: list[None] = []  # once there are processes


def leave(k: int, completed: bool) -> None:
    if k == 0:
        with suppress(OSError):
            _request_file(mark_file()).unlink()
            if not completed:
                mark_file().unlink()


def requested_programs() -> list[str]:
    with suppress(OSError):
        return _request_file(mark_file()).read_text(encoding="utf-8").splitlines()
    return []


def _ask(name: str) -> None:
    with suppress(OSError), open(_request_file(mark_file()), "r+", encoding="utf-8") as file:
        file.seek(0, os.SEEK_END)
        file.write(f"{name}\n")


def _request_file(mark: Path) -> Path:
    return mark.with_suffix(".asked")


def _start(k: int) -> None:
    """A process of its own, which nobody waits for; it does without what it cannot import or write."""
    if not hasattr(os, "posix_spawn"):
        return
    environment = {**os.environ, SETTING: "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    command = [sys.executable, "-P", "-m", WORKER, str(k), str(os.getpid())]  # -P: as the path says, whatever lies here
    with suppress(OSError):
        os.posix_spawn(sys.executable, command, environment, file_actions=quiet, setpgroup=0)


def mark_file() -> Path:
    """It is there while processes compile, and afterwards; where nothing can be kept, one that nobody can write."""
    folder = store.cache_folder() or Path(os.devnull)
    name = digest("first", programs(), folder_source("kernels", "compiler"), os.environ.get("SPECGRAD_BOUNDS"))
    return folder / f"{store.key(name, store.host()).hex()}.first"
