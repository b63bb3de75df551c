"""What comes before what on simulated devices. An item of work is number n of its stream, and has a clock: for each
stream the number of the last item that comes before it, by the order of streams, by events, by the default stream or
because the program waited. Two items that no clock orders may run in any order; where they touch the same bytes and one
writes, they are refused, with both names.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...errors import AcceleratorError
from .device_memory import Block

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


class Access(NamedTuple):
    """Bytes of a block that an item has read or written."""

    start: int
    end: int
    writes: bool
    work: Work


class Races:
    """Notes who touched which bytes since the program last waited for everything."""

    def __init__(self) -> None:
        self.epoch = 0

    def forget(self) -> None:
        """The program has waited for everything: all that comes is ordered after what was noted."""
        self.epoch += 1

    def note(self, block: Block, start: int, end: int, writes: bool, work: Work) -> None:
        """An item reads or writes these bytes of a block. RuntimeError: another does too, one of both writes, and
        nothing orders them.
        """
        if block.epoch != self.epoch:
            block.epoch, block.accesses = self.epoch, []
        retained = []
        for other in block.accesses:
            if other.start < end and start < other.end:
                if not work.comes_after(other.work):
                    if writes or other.writes:
                        raise _race(block, Access(start, end, writes, work), other)
                elif start <= other.start and other.end <= end and (writes or _same(other, work)):
                    continue  # whoever is not ordered after that one is not ordered after this one either
            retained.append(other)
        block.accesses = [*retained, Access(start, end, writes, work)]


def _same(other: Access, work: Work) -> bool:
    return not other.writes and other.work.stream == work.stream


def _race(block: Block, one: Access, other: Access) -> AcceleratorError:
    first, second = ("writes" if access.writes else "reads" for access in (one, other))
    return AcceleratorError(
        f"CUDA race: nothing orders {one.work}, which {first} bytes {one.start} to {one.end} of the block at "
        f"{block.address:#x}, and {other.work}, which {second} bytes {other.start} to {other.end} of it: let one "
        "stream wait for the other (wait_stream, or an event), and call record_stream before memory is freed"
    )
