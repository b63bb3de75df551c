"""Streams and events, under PyTorch's names: queues of work, and places in them to wait for."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

from ...device.cuda.current import go, here
from ...device.cuda.driver import driver, in_use
from ...device.cuda.driver_protocol import DEFAULT_STREAMS, Driver
from ...device.cuda.index_errors import raise_if_any
from ...device.device import device as Device
from ...errors import ArgumentError, DeviceError, type_name
from ...locks import new_lock
from ...namespace import known
from .devices import index_of

__all__ = ["Event", "ExternalStream", "Stream", "StreamContext", "current_stream", "default_stream"]
__all__ += ["get_stream_from_external", "set_stream", "stream"]

POOL = 32  # streams of each priority that a device has: they are used in turn, and never destroyed
_making = new_lock()
_pools: dict[tuple[Driver, int, int], tuple[list[int], itertools.count[int]]] = {}


class Stream:
    """A queue of work for a device: what is given to it is done in order, and in no order with other streams.

    Args:
        device: the device; None is the current one.
        priority: a smaller number is more urgent; what a device does not have becomes the nearest that it has.

    Example:
        >>> import specgrad as sg
        >>> if sg.cuda.is_available():
        ...     side = sg.cuda.Stream()
        ...     side.wait_stream(sg.cuda.current_stream())
        ...     with sg.cuda.stream(side):
        ...         pass
    """

    def __init__(self, device: Any = None, priority: int = 0, *, _handle: int | None = None) -> None:
        index = index_of(device, "Stream")
        result = driver()
        lowest, highest = result.stream_priorities(index)
        self.device_index, self.priority = index, min(max(priority, highest), lowest)
        self.handle = _from_pool(result, index, self.priority) if _handle is None else _handle

    @property
    def device(self) -> Device:
        """Its device."""
        return Device("cuda", self.device_index)

    @property
    def cuda_stream(self) -> int:
        """CUDA's handle: 0 of a default stream."""
        return 0 if self.handle < DEFAULT_STREAMS else self.handle

    stream_id = cuda_stream

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_stream)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.cuda_stream

    def wait_event(self, event: Event) -> None:
        """Let what is given to it from now on wait for `event`."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let what is given to it from now on wait for what `stream` has been given."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Let `event`, or a new one for None, stand for what it has been given; the event."""
        result = Event() if event is None else event
        result.record(self)
        return result

    def query(self) -> bool:
        """Whether all that it was given is done."""
        return driver().stream_done(self.handle)

    def synchronize(self) -> None:
        """Wait for all that it was given.

        Raises:
            IndexError: a kernel was given an index that is out of bounds, which it skipped; with the op's name.
        """
        driver().synchronize_stream(self.handle)
        raise_if_any(self.device_index, self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.handle, self.device_index) == (other.handle, other.device_index)

    def __hash__(self) -> int:
        return hash((self.handle, self.device_index))

    def __repr__(self) -> str:
        return f"<{known.name}.cuda.{type(self).__name__} device={self.device} cuda_stream={self.cuda_stream:#x}>"


def _from_pool(result: Driver, device: int, priority: int) -> int:
    with _making:
        handles, turn = _pools.setdefault((result, device, priority), ([], itertools.count()))
        number = next(turn) % POOL
        if number == len(handles):
            handles.append(result.create_stream(device, priority))
        return handles[number]


class ExternalStream(Stream):
    """A stream that another library has made, and keeps for as long as this object is used.

    Args:
        stream_ptr: CUDA's handle.
        device: where the stream is; None is the current device.
    """

    def __init__(self, stream_ptr: int, device: Any = None) -> None:
        if isinstance(stream_ptr, bool) or not isinstance(stream_ptr, int):
            raise ArgumentError(f"ExternalStream(): argument 'stream_ptr' must be int, not {type_name(stream_ptr)}")
        index = index_of(device, "ExternalStream")
        super().__init__(index, _handle=stream_ptr or index)


class Event:
    """A place in a stream, which others wait for, and which may have a time.

    Args:
        enable_timing: whether `elapsed_time` can be asked for.
        blocking: whether a thread that waits sleeps; with no effect here.
        interprocess: whether other processes can wait for it: they cannot.
        external: of graphs; with no effect here.

    Raises:
        NotImplementedError: `interprocess` is set.

    Example:
        >>> import specgrad as sg
        >>> if sg.cuda.is_available():
        ...     start, end = (sg.cuda.Event(enable_timing=True) for _ in range(2))
        ...     start.record()
        ...     end.record()
        ...     end.synchronize()
        ...     milliseconds = start.elapsed_time(end)
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        if interprocess:
            raise NotImplementedError("Event(): events are not shared between processes: interprocess must be False")
        self.enable_timing = enable_timing
        self._driver = driver()
        self._handle: int | None = None
        self._device = -1

    @property
    def device(self) -> Device | None:
        """The device of the stream that recorded it; None before."""
        return None if self._handle is None else Device("cuda", self._device)

    @property
    def cuda_event(self) -> int:
        """CUDA's handle; 0 before it is recorded."""
        return self._handle or 0

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_event)

    def record(self, stream: Stream | None = None) -> None:
        """Stand for what `stream` (the current one for None) has been given so far: always of one device."""
        result = current_stream() if stream is None else stream
        if self._handle is None:
            self._device = result.device_index
            self._handle = self._driver.create_event(self._device, self.enable_timing)
        elif self._device != result.device_index:
            raise DeviceError(
                f"Event device {self._device} does not match recording stream's device {result.device_index}."
            )
        self._driver.record(self._handle, result.handle)

    def wait(self, stream: Stream | None = None) -> None:
        """Let what `stream` (the current one for None) is given from now on wait for it."""
        result = current_stream() if stream is None else stream
        if self._handle is not None:
            self._driver.wait(result.handle, self._handle)

    def query(self) -> bool:
        """Whether all that it stands for is done."""
        return self._handle is None or self._driver.event_done(self._handle)

    def synchronize(self) -> None:
        """Wait for all that it stands for."""
        if self._handle is not None:
            self._driver.synchronize_event(self._handle)

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to `end_event`.

        Raises:
            RuntimeError: one of them has no time, was not recorded, or is not done.
        """
        both = self, end_event
        if not all(event.enable_timing for event in both):
            raise DeviceError("Both events must be created with argument 'enable_timing=True'.")
        if self._handle is None or end_event._handle is None:
            raise DeviceError("Both events must be recorded before calculating elapsed time.")
        if not all(event.query() for event in both):
            raise DeviceError("Both events must be completed before calculating elapsed time.")
        return self._driver.elapsed(self._handle, end_event._handle)

    def ipc_handle(self) -> bytes:
        """Events are not shared between processes."""
        raise NotImplementedError("Event.ipc_handle(): events are not shared between processes")

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and in_use(self._driver):
            self._driver.destroy_event(handle)

    def __repr__(self) -> str:
        return f"<{known.name}.cuda.Event {f'{self._handle:#x}' if self._handle else 'uninitialized'}>"


def default_stream(device: Any = None) -> Stream:
    """The stream that a device uses where no other is chosen.

    Args:
        device: the device; None is the current one.
    """
    index = index_of(device, "default_stream")
    return Stream(index, _handle=index)


def current_stream(device: Any = None) -> Stream:
    """The stream that this thread gives work for a device to, arguments as of `cuda.default_stream`."""
    index = index_of(device, "current_stream")
    cached = here.streams.get(index)
    return default_stream(index) if cached is None else cached[1]


def set_stream(stream: Stream | None) -> None:
    """Give work to another stream, in this thread and on its device, arguments as of `cuda.StreamContext`."""
    if stream is not None:
        go(stream.device_index, {**here.streams, stream.device_index: (stream.handle, stream)})


class StreamContext:
    """Give work to a stream inside a `with` block, at the stream's device.

    Args:
        stream: the stream; None changes nothing.
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self._before: tuple[int, dict[int, tuple[int, Any]]] = here.device, here.streams

    def __enter__(self) -> None:
        self._before = here.device, here.streams
        set_stream(self.stream)

    def __exit__(self, *_: object) -> None:
        go(*self._before)


def stream(stream: Stream | None) -> StreamContext:
    """Give work to a stream inside a `with` block, arguments as of `cuda.StreamContext`."""
    return StreamContext(stream)


def get_stream_from_external(data_ptr: int, device: Any = None) -> ExternalStream:
    """A stream that another library has made.

    Args:
        data_ptr: CUDA's handle.
        device: where the stream is; None is the current device.
    """
    return ExternalStream(data_ptr, device)
