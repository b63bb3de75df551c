"""Events of one name taken together: `FunctionEventAvg`, the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .events import FunctionEvent
from .figures import Figures

_SUMMED = ("count", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "flops")


class FunctionEventAvg(Figures):
    """The sums over events of one name.

    Args:
        key: the name.

    Attributes:
        count: how many events there were.
        cpu_time_total: microseconds of all; `cpu_time` of one; `self_cpu_time_total` without what ran inside them.
        cpu_memory_usage: bytes by which the memory of results grew; `self_cpu_memory_usage` without what ran inside.
        input_shapes: those of all of them, where events were grouped by shapes.
        stack: that of all of them, where events were grouped by it.
    """

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.overload_name = ""
        self.input_shapes: Any = ""
        self.stack: Any = []
        self.scope = 0
        self.is_user_annotation = False
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        for name in _SUMMED:
            setattr(self, name, 0)

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Count `other`, an event or an average, in."""
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __iadd__(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        return self.add(other)

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} count={self.count}>"
        )


def averages(
    events: Iterable[FunctionEvent], by_shape: bool, stack_lines: int, by_overload: bool
) -> list[FunctionEventAvg]:
    """One average per name, in the order in which the names appear; what is asked for keeps events apart."""
    found: dict[Any, FunctionEventAvg] = {}
    for event in events:
        shapes = str(event.input_shapes) if by_shape else ""
        stack = tuple(event.stack[:stack_lines])
        overload = event.overload_name if by_overload else ""
        key = (event.key, event.is_user_annotation, shapes, stack, overload)
        average = found.get(key)
        if average is None:
            average = found[key] = FunctionEventAvg(event.key)
            average.scope, average.is_user_annotation = event.scope, event.is_user_annotation
            average.cpu_parent, average.overload_name, average.stack = event.cpu_parent, overload, list(stack)
            if by_shape:
                average.input_shapes = event.input_shapes
        average.add(event)
    return list(found.values())


def total(events: Iterable[Any]) -> FunctionEventAvg:
    """All events taken together."""
    whole = FunctionEventAvg("Total")
    for event in events:
        whole.add(event)
    return whole
