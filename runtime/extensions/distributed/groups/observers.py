"""The last call that a rank has begun, who hears of calls, and where in the user's program they were called.

The call is noted for the rank's own errors, and in a file that a launcher reads: where ranks are when one dies or
hangs. The file is memory that both share: a rank that is killed has written it all the same. Only ranks of
`specgrad.distributed.run`, which names the file in the environment, have one.

A profiler hears of calls while it records, else nobody, and then nothing is called.
"""

import contextlib
import mmap
import os
import struct
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

_HEAD = struct.Struct("<qd")  # the number of calls, and when the last one began
_LENGTH = 512
_NAME = "progress-"
_VARIABLE = "SPECGRAD_PROGRESS"


class Progress(NamedTuple):
    """What a rank has noted: how many calls it has begun, when (monotonic seconds), and the last one with its place."""

    calls: int
    when: float
    text: str


class _Notes:
    def __init__(self) -> None:
        self.calls = 0
        self.last: tuple[str, tuple[str, int]] | None = None
        self.memory: mmap.mmap | None = None
        name = os.environ.get(_VARIABLE)
        if name:
            with Path(name).open("w+b") as file:
                file.truncate(_LENGTH)
                self.memory = mmap.mmap(file.fileno(), _LENGTH)


_notes = _Notes()


def note(call_description: str, location: tuple[str, int]) -> None:
    _notes.last = (call_description, location)
    memory = _notes.memory
    if memory is None:
        return
    _notes.calls += 1
    text = _line(call_description, location).encode()[: _LENGTH - _HEAD.size]
    memory[: _HEAD.size] = _HEAD.pack(_notes.calls, time.monotonic())
    memory[_HEAD.size :] = text.ljust(_LENGTH - _HEAD.size, b"\0")


def _line(call_description: str, location: tuple[str, int]) -> str:
    return f"{call_description}, called at {location[0]}:{location[1]}"


def last() -> str:
    """With its place, for errors; empty where there is none."""
    return "" if _notes.last is None else _line(*_notes.last)


def silent() -> str:
    """Which ranks have begun no call yet, for errors; empty where no launcher lets them note it."""
    own, size = os.environ.get(_VARIABLE), int(os.environ.get("WORLD_SIZE", "0"))
    if _notes.memory is None or own is None:
        return ""
    late = [rank for rank in range(size) if read(file_of(Path(own).parent, rank)) is None]
    return f"{rank_names(late)} did not come" if late else ""


def rank_names(ranks: Sequence[object]) -> str:
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(map(str, ranks))}"


def file_of(folder: Path, rank: int) -> Path:
    return folder / f"{_NAME}{rank}"


def read(path: Path) -> Progress | None:
    """None where the rank has begun no call."""
    data = b""
    with contextlib.suppress(OSError):
        data = path.read_bytes()
    if len(data) < _LENGTH:
        return None
    calls, when = _HEAD.unpack_from(data)
    return Progress(calls, when, data[_HEAD.size :].rstrip(b"\0").decode(errors="replace")) if calls else None


Ended = Callable[[], object]  # what is called when that ends whose beginning was told


class Listener(Protocol):
    """One that hears of calls: of each its `Work`."""

    def begun(self, work: Any) -> Ended:
        """A call begins; what is returned is called when it is complete, or has failed."""

    def waits(self, work: Any) -> Ended:
        """The program begins to wait for a call; what is returned is called when it goes on."""

    def drives(self) -> Ended:
        """The program begins to drive on what is under way; what is returned is called when it has."""


@dataclass(slots=True)
class Observed:
    listener: Listener | None = None
    rank: int = 0
    size: int = 1


observed = Observed()


_PACKAGE = str(Path(__file__).parents[4])
_OURS = tuple(os.path.join(_PACKAGE, subpackage) + os.sep for subpackage in ("runtime", "nn", "generated", "specgrad"))


def location() -> tuple[str, int]:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
