"""`EventList`: events, or averages of events, that print themselves as a table."""

from collections.abc import Iterable
from typing import Any

from .events import FunctionEventAvg, averages
from .table import TableFormat, render


class EventList(list[Any]):
    """A list of FunctionEvent or of FunctionEventAvg.

    Args:
        events: what is in it.
        shown: which of shapes, memory, stacks and flops were recorded.
        source: the profiler that recorded them, which writes traces.
    """

    def __init__(self, events: Iterable[Any] = (), shown: dict[str, bool] | None = None, source: Any = None) -> None:
        super().__init__(events)
        self._shown = shown or {}
        self._source = source

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds spent in the events, each counted without what ran inside it."""
        return sum(event.self_cpu_time_total for event in self)

    @property
    def self_device_time_total(self) -> float:
        """Microseconds that devices worked on the events, each counted without what ran inside it."""
        return sum(event.self_device_time_total for event in self)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> "EventList":
        """The events of one name taken together.

        Args:
            group_by_input_shapes: those of different shapes apart.
            group_by_stack_n: those called from elsewhere apart, by this many innermost lines of the stack.
            group_by_overload_name: those of different overloads of an op apart.
        """
        result = averages(self, group_by_input_shapes, group_by_stack_n, group_by_overload_name)
        shown = dict(self._shown)
        shown["shapes"] = group_by_input_shapes
        shown["stacks"] = group_by_stack_n > 0
        shown["overloads"] = group_by_overload_name
        return EventList(result, shown, self._source)

    def total_average(self) -> FunctionEventAvg:
        """All events taken together."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table.

        Args:
            sort_by: the name of an attribute, the largest first: `cpu_time`, `cpu_time_total`, `self_cpu_time_total`,
                `device_time_total`, `self_device_time_total`, `cpu_memory_usage`, `self_cpu_memory_usage`, `count`;
                without it, in the order in which they began.
            row_limit: how many rows there are at most; -1 for all.
            max_src_column_width: longer lines of the stack lose their beginning.
            max_name_column_width: longer names lose their end.
            max_shapes_column_width: longer lists of shapes lose their end.
            header: a line above the table.
            top_level_events_only: leave out what ran inside something else.
            time_unit: "us", "ms" or "s"; without it each time has the unit in which it is readable.

        Raises:
            AttributeError: events have no attribute `sort_by`.

        Example:
            >>> import specgrad as sg
            >>> with sg.profiler.profile() as prof:
            ...     x = sg.ones(2).exp().log()
            >>> table = prof.key_averages().table(sort_by="cpu_time_total")
            >>> [name in table for name in ("aten::exp", "aten::log", "Self CPU time total")]
            [True, True, True]
        """
        widths = (max_name_column_width, max_shapes_column_width, max_src_column_width)
        layout = TableFormat(self._shown, *widths, time_unit)
        return render(self, layout, sort_by, row_limit, header, top_level_events_only)

    def export_chrome_trace(self, path: Any) -> None:
        """Write the trace of the recording that these events are from to `path`."""
        self._source.export_chrome_trace(path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write to `path` a line per stack and its sum of `metric`, for programs that draw flame graphs."""
        self._source.export_stacks(path, metric)

    def __str__(self) -> str:
        return self.table()
