"""Recording sessions, one profiler at a time, and showing their events: the base of both classes `profile`."""

from __future__ import annotations

import json
from typing import Any

from .event_list import EventList
from .events import FunctionEventAvg, events_of
from .export import write_stacks, write_trace
from .ranges import current
from .session import Session
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


class Results:
    """Reads what `_recorder` has recorded to the end."""

    _recorder: Recorder

    def events(self) -> EventList:
        """All events, in the order in which they began.

        Raises:
            AssertionError: nothing has been recorded to the end.
        """
        return self._recorder.events("accessing events")

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of one name taken together.

        Args:
            group_by_input_shape: those of different shapes apart.
            group_by_stack_n: those called from elsewhere apart, by this many innermost lines of the stack.
            group_by_overload_name: those of different overloads of an op apart.

        Raises:
            AssertionError: nothing has been recorded to the end.
        """
        events = self._recorder.events("getting key averages")
        return events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """All events taken together."""
        return self._recorder.events("getting the total average").total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds spent in events, each counted without what ran inside it."""
        return self._recorder.events("accessing times").self_cpu_time_total

    @property
    def peak_memory_usage(self) -> int:
        """The most bytes of results that were alive at once, with `profile_memory`."""
        return self._recorder.peak()

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace to `path` that chrome://tracing and https://ui.perfetto.dev open; compressed for `.gz`."""
        self._recorder.export_trace(path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write to `path` a line per stack and its sum of `metric`, for programs that draw flame graphs."""
        self._recorder.export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Put a text `value` into the trace under `key`."""
        self._recorder.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Put `value`, the text of something in JSON, into the trace under `key`."""
        self._recorder.metadata[key] = json.loads(value)
