"""How long work of ops took on CUDA devices: by a pair of events around each, in the stream that it was given to."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...device.device import CPU, resolve
from ...device.device import device as Device
from ...locks import new_lock
from ...tensor.tensor import TensorBase


class DeviceTime(NamedTuple):
    """When a device worked on an event: device, stream, beginning in nanoseconds of the host's clock, microseconds."""

    device: int
    stream: int
    start: int
    duration: float


class Span(NamedTuple):
    """A pair of events on a device; 0 stands for an end that never came."""

    device: int
    stream: int
    start: int
    end: int = 0


class DeviceTimes:
    """The pairs of events of one session. A view takes no time, and what is recorded into a graph has none yet."""

    def __init__(self) -> None:
        self.lock = new_lock()
        self.references: dict[int, tuple[int, int]] = {}  # of devices: an event, and when it was passed

    def begin(self, record: Any, values: Iterable[Any]) -> None:
        event_device = next(devices_of(values), None)
        if event_device is None:
            return
        from ...device.cuda.current import current_stream  # loaded with the first device
        from ...device.cuda.driver import driver

        index = resolve(event_device).index or 0
        stream = current_stream(index)
        if not driver().is_capturing(stream):
            self.refer(index, stream)
            record.span = Span(index, stream, self.passed(index, stream))

    def end(self, record: Any) -> None:
        span = record.span
        record.span = span._replace(end=self.passed(span.device, span.stream))

    def drop(self, record: Any) -> None:
        from ...device.cuda.driver import driver

        span, record.span = record.span, None
        for event in (span.start, span.end):
            if event:
                driver().destroy_event(event)

    @staticmethod
    def passed(device: int, stream: int) -> int:
        from ...device.cuda.driver import driver

        event = driver().create_event(device, timing=True)
        driver().record(event, stream)
        return event

    def refer(self, device: int, stream: int) -> None:
        """Find out, once, what time it is on a device by the host's clock."""
        from ...device.cuda.driver import driver

        with self.lock:
            if device not in self.references:
                event = self.passed(device, stream)
                driver().synchronize_event(event)
                self.references[device] = event, time.perf_counter_ns()

    def finish(self, records: Iterable[Any]) -> None:
        for record in records:
            span = record.span
            if span is not None and span.end:
                record.device_time = self.measured(span)
            if span is not None:
                self.drop(record)

    def measured(self, span: Span) -> DeviceTime:
        from ...device.cuda.driver import driver

        result = driver()
        result.synchronize_event(span.end)
        reference, when = self.references[span.device]
        start = when + int(result.elapsed(reference, span.start) * 1e6)
        return DeviceTime(span.device, span.stream, start, result.elapsed(span.start, span.end) * 1e3)


def devices_of(values: Iterable[Any]) -> Iterator[Device]:
    for value in values:
        if isinstance(value, TensorBase):
            if value._device is not CPU:
                yield value._device
        elif isinstance(value, Device):
            if value.type == "cuda":
                yield value
        elif isinstance(value, (list, tuple)):
            yield from devices_of(value)


def is_view(result: Any, values: Iterable[Any]) -> bool:
    results = result if isinstance(result, (list, tuple)) else (result,)
    args = [value for value in values if isinstance(value, TensorBase)]
    return all(
        isinstance(one, TensorBase) and any(one is not other and one._storage is other._storage for other in args)
        for one in results
    )
