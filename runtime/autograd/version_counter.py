"""The version counter of a tensor's memory: the count of writes, the last writer, and functions to call at the next.

The writer's line is kept while something watches every op (anomaly mode)."""

import sys
from typing import Any

from ..errors import PACKAGE
from ..tensor.grad_mode import current_version
from ..tensor.observers import watch


class Writer(str):
    """The name of an op that wrote, and the line of the user's program that called it."""

    __slots__ = ("location",)
    location: str


class Awaited(int):
    """A count of writes with functions to call at its next increase."""

    waiting: list[tuple[Any, Any]]  # weak references, and functions of what they refer to: whether to wait on

    @classmethod
    def after(cls, count: int, waiting: list[tuple[Any, Any]]) -> "Awaited":
        result = cls(count)
        result.waiting = waiting
        return result

    def __add__(self, more: int) -> int:
        return self.notify(int(self) + more)

    def notify(self, count: int) -> int:
        """Call the functions that wait for a write; the count, with those that wait for the next one too."""
        rest = []
        for reference, function in self.waiting:
            alive = reference()
            if alive is not None and function(alive):
                rest.append((reference, function))
        return Awaited.after(count, rest) if rest else count


class Replaced(int):
    """A tensor got memory of another shape or dtype: who saved it at the same count finds that it has changed."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = int.__hash__


def note_replaced(tensor: Any) -> None:
    """The tensor has memory of its own from now on: who has saved it finds that it has changed."""
    tensor._version_counter = [Replaced(current_version(tensor)), "data"]


def note_write(tensor: Any, name: str) -> None:
    """Count a write by the op `name`, which is yet to be recorded: `end_write` must follow."""
    if watch.active:
        writer, frame = Writer(name), sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
            frame = frame.f_back
        writer.location = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        name = writer
    writes = tensor._version_counter
    if writes is None:
        tensor._version_counter = [1, name]
        return
    count, _ = writes
    writes[0] = Awaited.after(int(count) + 1, count.waiting) if type(count) is Awaited else count + 1
    writes[1] = name


def end_write(tensor: Any) -> None:
    """Call the functions that wait for a write, which has been recorded by now."""
    writes = tensor._version_counter
    count, _ = writes
    if type(count) is Awaited:
        writes[0] = int(count)
        writes[0] = count.notify(writes[0])


def last_writer(tensor: Any) -> str:
    writer = tensor._version_counter[1]
    location = getattr(writer, "location", "")
    return f"{writer}()" + (f" at {location}" if location else "")
