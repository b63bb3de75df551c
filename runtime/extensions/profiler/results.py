"""Recording sessions, one profiler at a time, and showing their events: the base of both classes `profile`."""

import json
from typing import Any

from .collect import turn_off, turn_on
from .event_list import EventList
from .events import FunctionEventAvg, events_of
from .export import write_stacks, write_trace
from .named_ranges import current
from .session import Session


class Recorder:
    """Records sessions, and holds the place of the one profiler of the process meanwhile.

    Args:
        shapes: whether the arguments of ops are described.
        memory: whether the memory of results is followed.
        stacks: whether events note from where they were called.
        flops: whether floating-point operations are estimated.
        accumulate: whether the events of earlier sessions stay.
        devices: whether work on devices is timed.
    """

    def __init__(
        self, shapes: bool, memory: bool, stacks: bool, flops: bool, accumulate: bool = False, devices: bool = False
    ) -> None:
        self.shapes = shapes or flops  # the estimate needs them
        self.shown = {"shapes": shapes, "memory": memory, "stacks": stacks, "flops": flops}
        self.accumulate = accumulate
        self.devices = devices
        self.session: Session | None = None
        self.finished: list[Session] = []
        self.metadata: dict[str, Any] = {}
        self.events: EventList | None = None  # of the finished sessions, made when somebody asks

    def claim(self) -> None:
        with current.lock:
            if current.owner is not None:
                raise RuntimeError(
                    "profiler: Profiler is already enabled; profilers cannot be nested, expected the one that was "
                    "started first to be stopped before another one starts"
                )
            current.owner = self

    @property
    def claimed(self) -> bool:
        return current.owner is self

    def release(self) -> None:
        if self.claimed:
            current.owner = None

    def begin(self) -> None:
        session = self.session = Session(self.shapes, self.shown["memory"], self.shown["stacks"], self.devices)
        turn_on(session)

    def end(self, keep: bool = True) -> bool:
        session, self.session = self.session, None
        if session is None:
            return False
        if current.session is session:
            turn_off()
        if keep:
            self.finished = [*self.finished, session] if self.accumulate else [session]
            self.events = None
        return keep


class Results:
    """Reads what `_recorder` has recorded to the end."""

    _recorder: Recorder

    def _recorded(self, doing: str) -> EventList:
        recorder = self._recorder
        if not recorder.finished:
            raise AssertionError(f"Profiler must be initialized before {doing}: nothing has been recorded to the end")
        if recorder.events is None:
            matches = [event for session in recorder.finished for event in events_of(session)]
            recorder.events = EventList(matches, shown=recorder.shown, source=self)
        return recorder.events

    def events(self) -> EventList:
        """All events, in the order in which they began; an AssertionError where nothing has been recorded."""
        return self._recorded("accessing events")

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of one name taken together; `group_by_input_shape`, `group_by_stack_n` and
        `group_by_overload_name` keep some apart, as in `EventList`. An AssertionError where nothing has been recorded.
        """
        options = group_by_input_shape, group_by_stack_n, group_by_overload_name
        return self._recorded("getting key averages").key_averages(*options)

    def total_average(self) -> FunctionEventAvg:
        """All events taken together."""
        return self._recorded("getting the total average").total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds spent in events, each counted without what ran inside it."""
        return self._recorded("accessing times").self_cpu_time_total

    @property
    def peak_memory_usage(self) -> int:
        """The most bytes of results that were alive at once, with `profile_memory`."""
        return max((s.tally.peak for s in self._recorder.finished if s.tally is not None), default=0)

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace to `path` that chrome://tracing and https://ui.perfetto.dev open; compressed for `.gz`."""
        self._recorded("exporting chrome trace")
        write_trace(path, self._recorder.finished, self._recorder.metadata)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write to `path` a line per stack and its sum of `metric`, for programs that draw flame graphs."""
        write_stacks(path, self._recorded("exporting stacks"), metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Put a text `value` into the trace under `key`."""
        self._recorder.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Put `value`, the text of something in JSON, into the trace under `key`."""
        self._recorder.metadata[key] = json.loads(value)
