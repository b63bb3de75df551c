"""Programs as the profiler sees them."""

from collections.abc import Callable
from typing import Any

from specgrad.profiler import EventList, FunctionEvent, profile


def profiled(program: Callable[[], Any], **options: Any) -> profile:
    """The profiler of a program that has run."""
    with profile(**options) as prof:
        program()
    return prof


def events_of(program: Callable[[], Any], **options: Any) -> EventList:
    return profiled(program, **options).events()


def by_name(events: EventList, name: str) -> list[FunctionEvent]:
    return [event for event in events if event.name == name]
