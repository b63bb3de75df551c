"""The record of a profiled program: ops, backward nodes and named ranges with their times, nested by thread, and
memory. Counted is the memory behind tensors that ops returned and that no argument of the op lies in: each allocation
once, with all its bytes, when an op returns it and again, negatively, when it is freed. Not counted are tensors made
without an op (`randn`, `zeros`), those that were there before, and what a kernel needs only while it runs.
"""

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...autograd.node import next_sequence
from ...autograd.saved_tensor_hooks import owner_of
from ...device.device import cuda_available
from ...locks import new_lock
from ...tensor.tensor import TensorBase
from .device_events import DeviceTime, DeviceTimes, Span


class Change(NamedTuple):
    """Memory came (`size` above 0) or went, and how much there was then."""

    when: int
    thread: int
    address: int
    size: int
    total: int


class Tally:
    """The memory of the results of one recording: `total` now, `peak` at most, and every change in its order."""

    def __init__(self, innermost: Callable[[], Any]) -> None:
        self.innermost = innermost
        self.alive: dict[int, Any] = {}  # id of the array that owns the memory -> a weak reference
        self.changes: list[Change] = []
        self.total = self.peak = 0
        self.lock = new_lock()  # an array may be freed, and call back, while this thread holds it

    def count(self, result: Any, args: Any, kwargs: Any, record: Any) -> None:
        made = [array for array in map(owner_of, _tensors((result,))) if id(array) not in self.alive]
        if not made:
            return
        values = {id(owner_of(t)) for t in (*_tensors(args), *_tensors(kwargs.values()))}
        for array in made:
            if id(array) not in values and id(array) not in self.alive:
                self._follow(array, record)

    def _follow(self, array: np.ndarray, record: Any) -> None:
        key, size = id(array), array.nbytes

        def freed(_: Any) -> None:
            if self.alive.pop(key, None) is not None:
                self._change(key, -size, self.innermost())

        self.alive[key] = weakref.ref(array, freed)
        self._change(key, size, record)

    def _change(self, address: int, size: int, record: Any) -> None:
        if record is not None:
            record.bytes += size
        with self.lock:
            self.total += size
            self.peak = max(self.peak, self.total)
            now = time.perf_counter_ns()
            self.changes.append(Change(now, threading.get_native_id(), address, size, self.total))

    def stop(self) -> None:
        """Later frees no longer count, and nothing leads back to the session."""
        self.alive.clear()
        self.innermost = lambda: None


def _tensors(values: Any) -> Iterator[TensorBase]:
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


OP, NODE = "op", "node"  # kinds of events; the others are in ranges.py
_LONGEST = 80  # characters of the text of one argument


class Argument(NamedTuple):
    """One argument of a call, under PyTorch's headings; lists of tensors have lists everywhere."""

    dims: Any = ()
    strides: Any = ()
    type: Any = ""
    text: str = ""


def describe(args: Iterable[Any], kwargs: dict[str, Any]) -> tuple[Argument, ...]:
    named = [value for value in kwargs.values() if value is not None]
    return tuple([_argument(value) for value in (*args, *named)])


def _argument(value: Any) -> Argument:
    if isinstance(value, TensorBase):
        return Argument(list(value.shape), list(value.stride()), value.dtype.name)
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, TensorBase) for item in value):
        parts = [_argument(item) for item in value]
        return Argument([p.dims for p in parts], [p.strides for p in parts], [p.type for p in parts])
    kind = "Scalar" if isinstance(value, (bool, int, float, complex)) else ""
    text = "" if value is None else str(value)
    return Argument([], [], kind, text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))) + os.sep


def callers() -> tuple[str, ...]:
    frame, result = sys._getframe(1), []
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            result.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(result)


@dataclass(slots=True, eq=False)
class Track:
    """One thread: its number, the system's number, its name, and the records that are open in it."""

    number: int
    native_id: int
    name: str
    latest: int  # the sequence number of the newest node that is known here
    stack: "list[Record]" = field(default_factory=list)


class Record:
    """One event: times in nanoseconds, `bytes` by which the memory of results grew in it but not in its children.

    What most events do not have are attributes of the class: making a record is most of what recording costs."""

    end = 0
    overload = ""
    sequence = -1  # of the node that the op recorded, or that backward ran
    inputs: tuple[Any, ...] = ()  # described arguments, see `arguments`
    output: Any = None  # the shape of an op's result, when arguments are described
    bytes = 0
    stack: tuple[str, ...] = ()
    note = ""  # what the user said about a range
    span: Span | None = None  # on a device, until the session ends
    device_time: DeviceTime | None = None
    described: tuple[str, str] | None = None  # module and name by which to look up what the spec says of it
    about: Mapping[str, Any] = MappingProxyType({})  # of a call between processes: what, how much, between whom
    factors_with_gradients = 0  # of the two factors of a product, in its node
    launches_itself = False  # whether a launch inside, of the same name, is this op's own

    def __init__(self, name: str, kind: str, track: Track, parent: "Record | None", start: int = 0) -> None:
        self.name = name
        self.kind = kind
        self.track = track
        self.parent = parent
        self.start = start


class Session:
    """One recording.

    Args:
        shapes: whether the arguments of ops are described.
        memory: whether the memory of results is followed.
        stacks: whether events note from where they were called.
        devices: whether work on devices is timed.
    """

    def __init__(self, shapes: bool = False, memory: bool = False, stacks: bool = False, devices: bool = False) -> None:
        self.shapes = shapes
        self.devices = DeviceTimes() if devices and cuda_available() else None
        self.stacks = stacks
        self.tally = Tally(self.innermost) if memory else None
        self.only_times = not (shapes or memory or stacks or self.devices)
        self.records: list[Record] = []
        self.tracks: list[Track] = []
        self.local = threading.local()
        self.lock = new_lock()
        self.started_at = time.time_ns()
        self.started = time.perf_counter_ns()
        self.ended = 0

    def track(self) -> Track:
        try:
            return self.local.track
        except AttributeError:
            with self.lock:
                thread = threading.current_thread()
                number, latest = len(self.tracks) + 1, next_sequence()
                track = self.local.track = Track(number, threading.get_native_id(), thread.name, latest)
                self.tracks.append(track)
            return track

    def innermost(self) -> Record | None:
        stack = self.track().stack
        return stack[-1] if stack else None

    def begin(self, name: str, kind: str, args: Any = (), kwargs: dict[str, Any] | None = None) -> Record:
        track = self.track()
        stack = track.stack
        record = Record(name, kind, track, stack[-1] if stack else None)
        stack.append(record)
        self.records.append(record)
        if not self.only_times:
            self.describe(record, args, kwargs or {})
        record.start = time.perf_counter_ns()
        return record

    def describe(self, record: Record, args: Any, kwargs: dict[str, Any]) -> None:
        if self.stacks:
            record.stack = callers()
        if self.shapes:
            record.inputs = describe(args, kwargs)
        if self.devices is not None and record.kind in (OP, NODE):
            self.devices.begin(record, (*args, *kwargs.values()))

    def add(self, name: str, kind: str, start: int) -> Record:
        """A record of what ends now, in which nothing was recorded."""
        end = time.perf_counter_ns()
        track = self.track()
        stack = track.stack
        record = Record(name, kind, track, stack[-1] if stack else None, start)
        record.end = end
        self.records.append(record)
        return record

    def discard(self, record: Record) -> None:
        """Forget a closed record of what has not run."""
        self.records.remove(record)
        if record.span is not None and self.devices is not None:
            self.devices.drop(record)

    def beside(self, name: str, kind: str, about: dict[str, Any]) -> Callable[[], None]:
        """Open a record that goes on beside others, of this thread too; what is returned closes it, in any thread."""
        record = Record(name, kind, self.track(), None)
        record.about = about
        if self.stacks:
            record.stack = callers()
        self.records.append(record)
        record.start = time.perf_counter_ns()

        def end() -> None:
            record.end = record.end or time.perf_counter_ns()

        return end

    def end(self, record: Record) -> None:
        """Close a record, and those inside it that an error left open."""
        now = time.perf_counter_ns()
        stack = record.track.stack
        if stack and stack[-1] is record and record.span is None:
            record.end = record.end or now
            stack.pop()
            return
        while record in stack:
            closed = stack.pop()
            closed.end = closed.end or now
            if closed.span is not None and self.devices is not None:
                self.devices.end(closed)

    def finish(self) -> None:
        self.ended = time.perf_counter_ns()
        for record in self.records:
            record.end = record.end or self.ended
        self.records.sort(key=lambda record: record.start)
        if self.tally is not None:
            self.tally.stop()
        if self.devices is not None:
            self.devices.finish(list(self.records))
