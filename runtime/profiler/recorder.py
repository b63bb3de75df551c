"""What both kinds of `profile` do: begin and end sessions, one profiler at a time, and keep what was recorded."""

from __future__ import annotations

from typing import Any

from .chrome import write_trace
from .current import current
from .event_list import EventList
from .events import events_of
from .session import Session
from .stack_files import write_stacks
from .watching import turn_off, turn_on


class Recorder:
    """Records sessions and hands out their events.

    Args:
        shapes: whether the arguments of ops are described.
        memory: whether the memory of results is followed.
        stacks: whether events note from where they were called.
        flops: whether floating-point operations are estimated.
        accumulate: whether the events of earlier sessions stay.
    """

    def __init__(self, shapes: bool, memory: bool, stacks: bool, flops: bool, accumulate: bool = False) -> None:
        self.shapes = shapes or flops  # the estimate needs them
        self.shown = {"shapes": shapes, "memory": memory, "stacks": stacks, "flops": flops}
        self.accumulate = accumulate
        self.session: Session | None = None
        self.finished: list[Session] = []
        self.metadata: dict[str, Any] = {}
        self._events: EventList | None = None

    def claim(self) -> None:
        """Be the one profiler of this process; an error when there is one."""
        with current.lock:
            if current.owner is not None:
                raise RuntimeError(
                    "profiler: Profiler is already enabled; profilers cannot be nested, expected the one that was "
                    "started first to be stopped before another one starts"
                )
            current.owner = self

    @property
    def claimed(self) -> bool:
        """Whether this is the one profiler now."""
        return current.owner is self

    def release(self) -> None:
        """Leave the place to the next profiler."""
        if self.claimed:
            current.owner = None

    def begin(self) -> None:
        """Record from now on."""
        session = self.session = Session(self.shapes, self.shown["memory"], self.shown["stacks"])
        turn_on(session)

    def end(self, keep: bool = True) -> bool:
        """Record no more; returns whether there is something new to show."""
        session, self.session = self.session, None
        if session is None:
            return False
        if current.session is session:
            turn_off()
        if keep:
            self.finished = [*self.finished, session] if self.accumulate else [session]
            self._events = None
        return keep

    def events(self, doing: str) -> EventList:
        """What the finished sessions recorded; `doing` says in the error what it was wanted for."""
        if not self.finished:
            raise AssertionError(f"Profiler must be initialized before {doing}: nothing has been recorded to the end")
        if self._events is None:
            found = [event for session in self.finished for event in events_of(session)]
            self._events = EventList(found, shown=self.shown, source=self)
        return self._events

    def peak(self) -> int:
        """The most bytes of results that were alive at once in a session."""
        return max((s.tally.peak for s in self.finished if s.tally is not None), default=0)

    def export_trace(self, path: Any) -> None:
        """Write what was recorded for chrome://tracing or Perfetto."""
        self.events("exporting chrome trace")
        write_trace(path, self.finished, self.metadata)

    def export_stacks(self, path: Any, metric: str) -> None:
        """Write a line per stack with the sum of a time, as flame graph programs read it."""
        write_stacks(path, self.events("exporting stacks"), metric)
