"""What comes before what on simulated devices. An item of work is number n of its stream, and has a clock: for each
stream the number of the last item that comes before it, by the order of streams, by events, by the default stream or
because the program waited. Two items that no clock orders may run in any order; where they touch the same bytes and one
writes, they are refused, with both names.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...device.cuda.graph_calls import Status, refusal
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
    run: "Callable[[Work], Any] | None"

    def comes_after(self, other: "Work") -> bool:
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
    enqueued: int = 0
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


class Item(NamedTuple):
    """Work that was recorded, and the blocks that it uses, each with the number of its owner at that time."""

    work: Work
    uses: tuple[tuple[Block, int], ...]


class Recording:
    """One capture.

    Args:
        origin: the stream in which it begins and ends.
        mode: "relaxed" lets another thread end it.
    """

    def __init__(self, origin: Stream, mode: str) -> None:
        self.origin, self.mode, self.thread = origin, mode, threading.get_ident()
        self.items: list[Item] = []
        self.streams: dict[int, Stream] = {}
        self.clocks: dict[int, Clock] = {}
        self.from_flat: set[Block] = set()  # that this capture got, and has given out once
        self.is_invalid = self.is_over = False
        self._join(origin, {})

    def _join(self, stream: Stream, clock: Clock) -> None:
        stream.recording = self
        self.streams[stream.handle], self.clocks[stream.handle] = stream, clock

    def add(
        self, stream: Stream, what: str, where: str, run: Callable[[Work], Any] | None, uses: Sequence[Any]
    ) -> Work:
        self.require_valid()
        clock = self.clocks[stream.handle]
        number = clock.get(stream.handle, 0) + 1
        clock = self.clocks[stream.handle] = {**clock, stream.handle: number}
        work = Work(stream.handle, number, clock, what, where, run)
        self.items.append(Item(work, tuple((block, block.owner) for block in uses)))
        return work

    def follow(self, stream: Stream, clock: Clock) -> None:
        """Let a stream wait for a place in the capture, from which on it takes part. RuntimeError: it takes part in
        another one, or this one is over.
        """
        if self.is_over:
            raise refusal(Status.CAPTURED_EVENT, "waits for an event of a graph")
        if stream.recording is None:
            self._join(stream, clock)
        elif stream.recording is not self:
            raise self.refused(Status.MERGE, "lets one capture wait for another")
        else:
            self.clocks[stream.handle] = join(self.clocks[stream.handle], clock)

    def refused(self, status: Status, what: str) -> Exception:
        """The capture is invalid from now on; the error that says why."""
        self.is_invalid = True
        return refusal(status, what)

    def require_valid(self) -> None:
        if self.is_invalid:
            raise refusal(Status.INVALIDATED)

    def end(self, stream: Stream) -> list[Item]:
        """The streams go on as usual; all items, each behind those that come before it. RuntimeError: the capture is
        invalid, is ended elsewhere than it began, or streams have not come together.
        """
        if stream is not self.origin:
            raise self.refused(Status.UNMATCHED, "ends a capture")
        if self.mode != "relaxed" and self.thread != threading.get_ident():
            raise self.refused(Status.WRONG_THREAD, "ends a capture")
        self.is_over = True
        for each in self.streams.values():
            each.recording = None
        self.require_valid()
        last = self.clocks[stream.handle]
        if any(last.get(item.work.stream, 0) < item.work.number for item in self.items):
            raise refusal(Status.UNJOINED)
        return self.items
