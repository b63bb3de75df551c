"""Events and their averages by name, built from the records of a session when somebody asks for them."""

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from .named_ranges import CALL, DRIVE, ENGINE, RANGE, WAIT
from .session import NODE, OP, Record, Session
from .table import format_time


def _shown(name: str) -> Any:
    return property(lambda figures: format_time(getattr(figures, name)), doc=f"`{name}`, written out.")


def _alias(name: str) -> Any:
    return property(lambda figures: getattr(figures, name), doc=f"Another name of `{name}`.")


class Figures:
    """Times and memory; that of devices is there for scripts that read it, and zero."""

    key: str
    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    flops: int
    device_type = "cpu"
    node_id = -1
    is_async = is_remote = is_legacy = False
    device_memory_usage = self_device_memory_usage = cuda_memory_usage = self_cuda_memory_usage = 0

    @property
    def cpu_time(self) -> float:
        """Microseconds of one call, with what ran inside it."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Microseconds of one call on devices, with what ran inside it."""
        return self.device_time_total / self.count if self.count else 0.0

    cpu_time_str, device_time_str = _shown("cpu_time"), _shown("device_time")
    cpu_time_total_str, self_cpu_time_total_str = _shown("cpu_time_total"), _shown("self_cpu_time_total")
    device_time_total_str = _shown("device_time_total")
    self_device_time_total_str = _shown("self_device_time_total")
    cuda_time, cuda_time_total = _alias("device_time"), _alias("device_time_total")
    self_cuda_time_total = _alias("self_device_time_total")


Contraction = Callable[[tuple[int, ...], list[tuple[int, ...]]], int]
_ARITHMETIC = frozenset(("add", "sub", "mul", "div"))
# Two operations for each element of the result and each element of what is summed over: which dimensions of which
# argument those are.
_CONTRACTED = {
    **dict.fromkeys(("mm", "bmm", "mv", "dot"), (0, slice(-1, None))),
    **dict.fromkeys(("addmm", "baddbmm", "addmv", "linear"), (1, slice(-1, None))),
    "convolution": (1, slice(1, None)),
}

# Of gradients, and of two products at once: from the shape of the result and those of the arguments.
_OTHERS: dict[str, Contraction] = {
    "convolution_input_backward": lambda output, inputs: 2 * prod(inputs[0]) * prod(inputs[1][1:]),
    "convolution_weight_backward": lambda output, inputs: 2 * prod(inputs[0]) * prod(output[1:]),
    "linear_weight_backward": lambda output, inputs: 2 * prod(inputs[0]) * prod(inputs[1][-1:]),
    "attention": lambda output, inputs: 2 * prod(inputs[0][:-1]) * inputs[1][-2] * (inputs[0][-1] + inputs[2][-1]),
}


def contraction(name: str) -> Contraction | None:
    if name not in _CONTRACTED:
        return _OTHERS.get(name)
    argument, dims = _CONTRACTED[name]
    return lambda output, inputs: 2 * prod(output) * prod(inputs[argument][dims])


def _op_name(name: str) -> str:
    return name.rpartition("::")[2].removesuffix("_")


def estimate(record: Record) -> int:
    if record.output is None:
        return 0
    name, size = _op_name(record.name), prod(record.output)
    if name in _ARITHMETIC:
        return size
    if name not in _CONTRACTED:
        return 0
    argument, dims = _CONTRACTED[name]
    return 2 * size * prod(record.inputs[argument].dims[dims])


_STEP = "ProfilerStep#"
_SCOPES = {OP: 0, ENGINE: 0, NODE: 1, RANGE: 7, CALL: 0, WAIT: 0, DRIVE: 0}  # PyTorch's numbers


class Interval:
    """When an event began and ended, in microseconds since the recording began."""

    __slots__ = ("end", "start")

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
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
        name: `aten::mul` for an op, the node's name in backward, the user's for a range, `mpi:all_reduce` for a call
            between processes.
        time_range: an Interval.
        cpu_time_total: microseconds that it took; `self_cpu_time_total` without what ran inside it.
        device_time_total: microseconds of its work on a CUDA device; `self_device_time_total` without that of what ran
            inside it.
        device_index: the number of that device; -1 where there is none.
        cpu_memory_usage: bytes by which the memory of results grew; `self_cpu_memory_usage` without what ran inside.
        input_shapes: a list per argument, empty where it is no tensor.
        sequence_nr: that of the graph node which the op recorded or backward ran; -1 where there is none.
        thread: the number of its thread; `fwd_thread` that of the op whose gradient this is.
        cpu_parent: the event inside which it ran; `cpu_children` those that ran inside it.
        is_async: whether it is a call between processes that went on beside the thread; its own time is 0.
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
        self.is_async = record.kind == CALL
        if self.is_async:  # the thread did something else meanwhile
            self.self_cpu_time_total = 0.0
        timed = record.device_time
        self.device_index = -1 if timed is None else timed.device
        self.device_time_total = self.self_device_time_total = 0.0 if timed is None else timed.duration
        self.cpu_memory_usage = self.self_cpu_memory_usage = record.bytes
        self.input_shapes: Any = [argument.dims for argument in record.inputs]
        self.concrete_inputs = [argument.text for argument in record.inputs]
        self.stack: Any = list(record.stack)
        self.flops = estimate(record) if record.kind == OP else 0
        self.factors_with_gradients = record.factors_with_gradients
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
    made = {r: FunctionEvent(number, r, session.started) for number, r in enumerate(finished(session))}
    for record, event in made.items():
        if record.parent is not None:
            parent = event.cpu_parent = made[record.parent]
            parent.cpu_children.append(event)
            parent.self_cpu_time_total -= event.cpu_time_total
    events = list(made.values())
    for event in reversed(events):  # what ran inside an event began after it
        inside = sum(child.device_time_total for child in event.cpu_children)
        event.device_time_total = max(event.device_time_total, inside)  # the sum, where it was not timed itself
        event.self_device_time_total = event.device_time_total - inside
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
            if _op_name(op.name) in _CONTRACTED and not any(child.flops for child in event.cpu_children):
                event.flops = op.flops * event.factors_with_gradients  # each is a product of the same size


_SUMMED = (
    "count", "cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total",
    "cpu_memory_usage", "self_cpu_memory_usage", "flops",
)  # fmt: skip


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

    def add(self, other: "FunctionEvent | FunctionEventAvg") -> "FunctionEventAvg":
        """Count `other`, an event or an average, in."""
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __iadd__(self, other: "FunctionEvent | FunctionEventAvg") -> "FunctionEventAvg":
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
    results: dict[Any, FunctionEventAvg] = {}
    for event in events:
        shapes = str(event.input_shapes) if by_shape else ""
        stack = tuple(event.stack[:stack_lines])
        overload = event.overload_name if by_overload else ""
        key = (event.key, event.is_user_annotation, shapes, stack, overload)
        average = results.get(key)
        if average is None:
            average = results[key] = FunctionEventAvg(event.key)
            average.scope, average.is_user_annotation = event.scope, event.is_user_annotation
            average.cpu_parent, average.overload_name, average.stack = event.cpu_parent, overload, list(stack)
            if by_shape:
                average.input_shapes = event.input_shapes
        average.add(event)
    return list(results.values())
