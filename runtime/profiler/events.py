"""Single events as users read them, built from the records of a session when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .current import ENGINE, NODE, OP, RANGE
from .figures import Figures
from .flops import estimate
from .session import Record, Session

_STEP = "ProfilerStep#"
_SCOPES = {OP: 0, ENGINE: 0, NODE: 1, RANGE: 7}  # PyTorch's numbers


class Interval:
    """When an event began and ended, in microseconds since the recording began.

    Args:
        start: the beginning.
        end: the end.
    """

    __slots__ = ("end", "start")

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """How long it took."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"Interval(start={self.start:.3f}, end={self.end:.3f})"


class FunctionEvent(Figures):
    """One event.

    Args:
        number: its place among the events of the recording.
        record: what was recorded.
        started: when the recording began, in nanoseconds.

    Attributes:
        name: `aten::mul` for an op, the node's name in backward, the user's for a range.
        time_range: an Interval.
        cpu_time_total: microseconds that it took; `self_cpu_time_total` without what ran inside it.
        cpu_memory_usage: bytes by which the memory of results grew; `self_cpu_memory_usage` without what ran inside.
        input_shapes: a list per argument, empty where it is no tensor.
        sequence_nr: that of the graph node which the op recorded or backward ran; -1 where there is none.
        thread: the number of its thread; `fwd_thread` that of the op whose gradient this is.
        cpu_parent: the event inside which it ran; `cpu_children` those that ran inside it.
        stack: where it was called, innermost first; in backward, where the op was that recorded the node.
    """

    count = 1

    def __init__(self, number: int, record: Record, started: int) -> None:
        self.id = number
        self.trace_name = record.name
        self.kind = record.kind
        self.is_user_annotation = record.kind == RANGE
        self.name = self.key = record.name
        if self.is_user_annotation and record.name.startswith(_STEP):
            self.name = self.key = "ProfilerStep*"
        self.overload_name = record.overload
        self.scope = _SCOPES[record.kind]
        self.thread = record.track.number
        self.fwd_thread = 0
        self.sequence_nr = record.sequence
        self.time_range = Interval((record.start - started) / 1e3, (record.end - started) / 1e3)
        self.cpu_time_total = self.self_cpu_time_total = (record.end - record.start) / 1e3
        self.cpu_memory_usage = self.self_cpu_memory_usage = record.bytes
        self.input_shapes: Any = [argument.dims for argument in record.inputs]
        self.concrete_inputs = [argument.text for argument in record.inputs]
        self.stack: Any = list(record.stack)
        self.flops = estimate(record) if record.kind == OP else 0
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start:.3f} end_us={self.time_range.end:.3f} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} seq_nr={self.sequence_nr}>"
        )


def events_of(session: Session) -> list[FunctionEvent]:
    """The events of one session in the order in which they began, put into each other."""
    made = {r: FunctionEvent(number, r, session.started) for number, r in enumerate(finished(session))}
    for record, event in made.items():
        if record.parent is not None:
            parent = event.cpu_parent = made[record.parent]
            parent.cpu_children.append(event)
            parent.self_cpu_time_total -= event.cpu_time_total
    events = list(made.values())
    for event in reversed(events):  # what ran inside an event began after it
        if event.cpu_parent is not None:
            event.cpu_parent.cpu_memory_usage += event.cpu_memory_usage
    _link(events)
    return events


def finished(session: Session) -> list[Record]:
    """The records of a session; a thread that was late to see its end may have added one that has none."""
    return [record for record in list(session.records) if record.end]


def _link(events: Iterable[FunctionEvent]) -> None:
    """Tell backward events in which thread, and from where, the op was called whose gradient they are."""
    recorded: dict[int, FunctionEvent] = {}
    for event in events:
        if event.sequence_nr < 0:
            continue
        if event.kind == OP:
            recorded[event.sequence_nr] = event
        elif event.sequence_nr in recorded:
            op = recorded[event.sequence_nr]
            event.fwd_thread = op.thread
            event.stack = op.stack or event.stack
