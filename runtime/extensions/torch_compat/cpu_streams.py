"""Streams and events of the CPU, which programs for any device name: all is done when a call returns. And which of
PyTorch's kernels of attention programs allow: kept, as there is one kernel here.
"""

import threading
import time
from typing import Any


class Stream:
    """Where the CPU computes: one after the other, whatever the stream.

    Args:
        priority: has no effect.
    """

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Any) -> None:
        """Nothing: all that `stream` was given is done."""

    def record_event(self) -> None:
        """Nothing: what it was given is done, and an event is recorded by itself."""

    def wait_event(self, event: Any) -> None:
        """Nothing: what `event` marks is done."""


class Event:
    """A moment, and the milliseconds to another one.

    Args:
        enable_timing: whether times are asked for.
    """

    def __init__(self, enable_timing: bool = False) -> None:
        self.enable_timing = enable_timing
        self._time = 0.0

    def query(self) -> bool:
        """Whether all before it is done: it is."""
        return True

    def record(self, stream: Any = None) -> None:
        """Mark this moment; `stream` has no effect."""
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        """Nothing: all before it is done."""

    def wait(self, stream: Any = None) -> None:
        """Nothing: all before it is done, whatever `stream` is."""

    def elapsed_time(self, end_event: "Event") -> float:
        """The milliseconds from this moment to that of `end_event`; both were recorded."""
        return 1000.0 * (end_event._time - self._time)


class _Current(threading.local):
    stream = Stream()


_current = _Current()


class StreamContext:
    """A region in which another stream is the current one.

    Args:
        stream: the stream; None changes nothing.
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self._before: list[Stream] = []

    def __enter__(self) -> None:
        self._before.append(_current.stream)
        if self.stream is not None:
            _current.stream = self.stream

    def __exit__(self, *error: Any) -> None:
        _current.stream = self._before.pop()


def stream(stream: Stream | None) -> StreamContext:
    """A region in which another stream is the current one.

    Args:
        stream: the stream; None changes nothing.

    Example:
        >>> import specgrad as sg
        >>> side = sg.cpu.Stream()
        >>> with sg.cpu.stream(side):
        ...     sg.cpu.current_stream() is side
        True
    """
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream of the region that this thread is in.

    Args:
        device: has no effect.
    """
    return _current.stream


allowed = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True, "reduced_math": False}
