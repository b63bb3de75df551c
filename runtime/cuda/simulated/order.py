"""What comes before what on simulated devices: every item of work knows how far each stream must have come before it.

An item is number n of its stream, and has a clock: for each stream the number of the last item that comes before it, by
the order of streams, by events, by the default stream or because the program waited. Items that no clock orders may run
in any order, and do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Clock = dict[int, int]


def join(*clocks: Clock) -> Clock:
    results: Clock = {}
    for clock in clocks:
        for stream, number in clock.items():
            if results.get(stream, 0) < number:
                results[stream] = number
    return results


@dataclass(eq=False)
class Work:
    """One item: what it is and where the program gave it, for messages, and the function that does it."""

    stream: int
    number: int
    clock: Clock
    what: str
    where: str
    run: Callable[[Work], Any] | None

    def comes_after(self, other: Work) -> bool:
        return self.clock.get(other.stream, 0) >= other.number

    def __str__(self) -> str:
        name = f"the default stream of cuda:{self.stream}" if self.stream < 1024 else f"stream {self.stream:#x}"
        return f"{self.what}, given to {name} at {self.where}"


@dataclass(eq=False)
class Stream:
    """A queue of work, and how far it has come."""

    handle: int
    device: int
    blocking: bool
    priority: int = 0
    clock: Clock = field(default_factory=dict)
    queue: deque[Work] = field(default_factory=deque)
    given: int = 0
    done: int = 0
    is_gone: bool = False
    recording: Any = None  # the `Recording` that keeps what it is given


@dataclass(eq=False)
class Event:
    """Stands for what was given to a stream before it was recorded; `time` is set when it is passed.

    `captured` is a place in a capture: the `Recording`, and its clock there.
    """

    device: int
    timing: bool
    work: Work | None = None
    time: float = 0.0
    captured: tuple[Any, Clock] | None = None
