"""What the streams of a capture are given on simulated devices: kept as items with clocks of their own, and not done.

The clocks count the items of each stream since the capture began. A stream takes part from the moment in which it waits
for an event that stands for a place in the capture; when it ends, the first stream must come after all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...device.cuda.graph_calls import Status, refusal
from .device_memory import Block
from .stream_order import Clock, Stream, Work, join


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
