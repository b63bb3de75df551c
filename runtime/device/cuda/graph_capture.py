"""Captures that are underway: what their streams are given is recorded, and not done. Blocks freed in a capture are
given out again in captures of the same pool alone: replays write to them for as long as its graphs live."""

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from ...locks import new_lock
from .current import Changes, current_stream, go, here
from .driver import chosen
from .driver_protocol import DEFAULT_STREAMS, Driver
from .graph_calls import Status, refusal

_numbers = itertools.count(1)


class PrivatePool:
    """The blocks of graphs that share memory on one device."""

    def __init__(self, handle: tuple[int, int]) -> None:
        self.handle = handle
        self.size_classes: dict[tuple[int, int], Any] = {}  # by stream and size class
        self.graphs = 0  # that live, or are captured
        self.blocks = 0  # that the driver has given


def new_handle() -> tuple[int, int]:
    return next(_numbers), 0


underway: "list[Capture]" = []  # mostly empty, which is all that others look at then
_later: deque[Callable[[], Any]] = deque()
_sides: WeakKeyDictionary[Any, dict[int, int]] = WeakKeyDictionary()
_making = new_lock()


class Capture:
    """One capture; streams that wait for the one where it begins take part; memory comes from `pool` meanwhile."""

    def __init__(self, device: int, stream: int, pool: PrivatePool) -> None:
        self.driver: Driver = chosen()
        self.device, self.stream, self.pool = device, stream, pool
        self.side = side_stream(self.driver, device)
        self.retained: list[Any] = []  # what the graph reads that nobody else may hold
        self.pinned: list[Any] = []  # likewise, arrays in pinned memory
        self.generator_states: dict[int, Any] = {}  # by generator: see positions.py
        self.word: Any = None  # of bad indices

    def begin(self, mode: str) -> None:
        self.driver.begin_capture(self.stream, mode)
        underway.append(self)
        Changes.notify()  # native code would take memory from elsewhere

    def end(self) -> int:
        """The graph's handle. A RuntimeError where something was refused, or streams have not come together."""
        try:
            return self.driver.end_capture(self.stream)
        finally:
            underway.remove(self)
            for generator_states in self.generator_states.values():
                generator_states.end()
            while _later and not underway:
                _later.popleft()()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is given to the current stream inside is done at once and not recorded; memory is the graph's."""
        before = here.streams
        go(here.device, {**before, self.device: (self.side, None)})
        try:
            with self.driver.unrestricted():
                yield
                self.driver.synchronize_stream(self.side)
        finally:
            go(here.device, before)


def side_stream(result: Driver, device: int) -> int:
    with _making:
        sides = _sides.setdefault(result, {})
        if device not in sides:
            sides[device] = result.create_stream(device)
        return sides[device]


def allocate(result: Driver, device: int, size: int) -> int:
    """New memory that all streams may use, from outside of what is recorded; 0 where there is none left."""
    with result.unrestricted():
        address = result.allocate(device, size, side := side_stream(result, device))
        result.synchronize_stream(side)
    return address


def of_stream(stream: int) -> Capture | None:
    """The capture that a stream takes part in; memory for its side stream is the graph's as well."""
    if stream < DEFAULT_STREAMS:
        return None
    for capture in underway:
        if stream in (capture.stream, capture.side) or capture.driver.is_capturing(stream):
            return capture
    return None


def here_on(device: int) -> Capture | None:
    return of_stream(current_stream(device)) if underway else None


def refuse(device: int, what: str) -> None:
    """Where the current stream of a device records: end that with a RuntimeError that says what cannot be recorded."""
    capture = here_on(device)
    if capture is not None:
        capture.driver.invalidate_capture(capture.stream)
        raise refusal(Status.UNSUPPORTED, what)


def keep_pinned(device: int, array: Any) -> None:
    """A copy was given to the current stream that reads pinned memory: where it is recorded, the graph keeps that."""
    capture = here_on(device)
    if capture is not None:
        capture.pinned.append(array)


def after_all(function: Callable[[], Any]) -> None:
    """Do what captures forbid when none is underway: at once, or when the last one ends."""
    if underway:
        _later.append(function)
    else:
        function()
