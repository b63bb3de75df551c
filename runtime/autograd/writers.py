"""Who wrote last to a tensor's memory, and, while something watches every op (anomaly mode), from which line."""

from __future__ import annotations

import sys
from typing import Any

from ..user_warning import PACKAGE
from .grad_mode import watch


class Writer(str):
    """The name of an op that wrote, and the place in the user's program that called it."""

    __slots__ = ("place",)
    place: str


def note_write(tensor: Any, name: str) -> None:
    """Count a write to the memory of `tensor` by the op `name`."""
    if watch.active:
        writer = Writer(name)
        writer.place = calling_line()
        name = writer
    tensor._bump_version(name)


def last_writer(tensor: Any) -> str:
    """The op that wrote last, in words."""
    writer = tensor._writes[1]
    place = getattr(writer, "place", "")
    return f"{writer}()" + (f" at {place}" if place else "")


def calling_line() -> str:
    """File and line of the innermost call outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
