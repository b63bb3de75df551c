"""What a profiler shows of what it recorded; the two kinds of `profile` have it in common."""

from __future__ import annotations

import json
from typing import Any

from .averages import FunctionEventAvg
from .event_list import EventList
from .recorder import Recorder


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
