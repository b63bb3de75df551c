"""The streams of simulated devices: work is queued and done when somebody waits, in any order that streams allow.

Among streams the order is drawn from a seeded generator, so that a wait that was forgotten is found.
"""

import itertools
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...device.cuda.graph_calls import Status, refusal
from ...errors import PACKAGE, AcceleratorError
from .stream_order import Clock, Event, Races, Recording, Stream, Work, join

LONGEST = 1024  # items that wait before the program has to


class Queues:
    """All streams and events.

    Args:
        devices: the number of devices, each of which has a default stream.
        seed: of the order among streams.
        blocking: whether work is done as soon as it is given (`CUDA_LAUNCH_BLOCKING=1`).
    """

    def __init__(self, devices: int, seed: int, blocking: bool) -> None:
        self.streams = {device: Stream(device, device, blocking=True) for device in range(devices)}
        self.events: dict[int, Event] = {}
        self.races = Races()
        self.blocking = blocking
        self.host: Clock = {}  # what the program has waited for
        self.recordings: list[Recording] = []
        self._handles = itertools.count(1 << 32)
        self._random = random.Random(seed)

    def create_stream(self, device: int, priority: int = 0, blocking: bool = False) -> int:
        handle = next(self._handles)
        self.streams[handle] = Stream(handle, device, blocking, priority)
        return handle

    def destroy_stream(self, handle: int) -> None:
        stream = self.stream(handle)
        stream.is_gone = True
        if not stream.queue:
            self._forget(stream)

    def _forget(self, stream: Stream) -> None:
        default = self.streams[stream.device]
        default.clock = join(default.clock, stream.clock)
        del self.streams[stream.handle]

    def stream(self, handle: int) -> Stream:
        cached = self.streams.get(handle)
        if cached is None or cached.is_gone:
            raise AcceleratorError(f"CUDA error: invalid resource handle: there is no stream {handle:#x}")
        return cached

    def give(self, handle: int, what: str, run: Callable[[Work], Any] | None, uses: Sequence[Any] = ()) -> Work:
        stream = self.stream(handle)
        if stream.recording is not None:
            recorded: Work = stream.recording.add(stream, what, _caller(), run, uses)
            return recorded
        if self.recordings and handle == stream.device:
            self._refuse_implicit(handle)
        stream.enqueued += 1
        clock = join(stream.clock, self.host, *self._implied(stream), {handle: stream.enqueued})
        work = Work(handle, stream.enqueued, clock, what, _caller(), run)
        stream.clock = clock
        stream.queue.append(work)
        return work

    def _implied(self, stream: Stream) -> list[Clock]:
        """The legacy default stream waits for all blocking streams of its device, and they for it."""
        if not stream.blocking:
            return []
        if stream.handle != stream.device:
            return [self.streams[stream.device].clock]
        return [other.clock for other in self.streams.values() if other.blocking and other.device == stream.device]

    def _refuse_implicit(self, device: int) -> None:
        """The legacy default stream waits for blocking streams, but cannot for one that is recorded."""
        for recording in self.recordings:
            if any(stream.blocking and stream.device == device for stream in recording.streams.values()):
                raise recording.refused(Status.IMPLICIT, "uses the default stream")

    def begin_recording(self, handle: int, mode: str) -> None:
        stream = self.stream(handle)
        if handle == stream.device or stream.recording is not None:
            raise refusal(Status.UNSUPPORTED, "begins a capture on the default stream, or inside of another")
        self.recordings.append(Recording(stream, mode))

    def end_recording(self, handle: int) -> list[Any]:
        stream = self.stream(handle)
        recording: Recording | None = stream.recording
        if recording is None:
            raise refusal(Status.UNMATCHED, "ends a capture that has not begun")
        try:
            return recording.end(stream)
        finally:
            if recording.is_over:
                self.recordings.remove(recording)

    def require_free(self, handle: int, what: str = "waits for the device") -> None:
        """Before waiting for a stream, or copying from or to memory that the device cannot reach by itself.
        RuntimeError: it is recorded.
        """
        recording = self.stream(handle).recording
        if recording is not None:
            recording.require_valid()
            raise recording.refused(Status.UNSUPPORTED, what)

    def create_event(self, device: int, timing: bool = False) -> int:
        handle = next(self._handles)
        self.events[handle] = Event(device, timing)
        return handle

    def event(self, handle: int) -> Event:
        if handle not in self.events:
            raise AcceleratorError(f"CUDA error: invalid resource handle: there is no event {handle:#x}")
        return self.events[handle]

    def record(self, handle: int, stream: int) -> None:
        event = self.event(handle)
        if event.device != self.stream(stream).device:
            raise AcceleratorError("CUDA error: invalid resource handle: event and stream are of different devices")
        recording = self.stream(stream).recording
        if recording is not None:
            recording.require_valid()
            event.work, event.captured = None, (recording, recording.clocks[stream])
            return
        event.captured = None

        def passed(work: Work) -> None:
            event.time = time.perf_counter()

        event.work = self.give(stream, "record of an event", passed)

    def wait(self, stream: int, handle: int) -> None:
        event, recording = self.event(handle), self.stream(stream).recording
        if event.captured is not None:
            event.captured[0].follow(self.stream(stream), event.captured[1])
        elif recording is not None and event.work is not None:
            raise recording.refused(Status.ISOLATION, "lets a stream wait for what is not recorded")
        elif event.work is not None:
            self.stream(stream).clock = join(self.stream(stream).clock, event.work.clock)
            self.give(stream, "wait for an event", None)

    def passed(self, handle: int) -> Event:
        event = self.event(handle)
        if event.captured is not None:
            raise event.captured[0].refused(Status.CAPTURED_EVENT, "looks at an event")
        return event

    def is_done(self, work: Work) -> bool:
        stream = self.streams.get(work.stream)
        if stream is not None and stream.done < work.number:
            return False
        self._knows(work.clock)
        return True

    def finish(self, work: Work) -> None:
        while not self.is_done(work):
            self.step()

    def finish_stream(self, handle: int) -> None:
        self.require_free(handle)
        stream = self.stream(handle)
        while stream.queue:
            self.step()
        self._knows(stream.clock)

    def catch_up(self, handle: int) -> None:
        while self.stream(handle).queue:
            self.step()

    def finish_device(self, device: int) -> None:
        for recording in self.recordings:
            if recording.origin.device == device:
                self.require_free(recording.origin.handle)
        for stream in [stream for stream in self.streams.values() if stream.device == device]:
            while stream.queue:
                self.step()
            self._knows(stream.clock)

    def _knows(self, clock: Clock) -> None:
        self.host = join(self.host, clock)
        if all(self.host.get(stream.handle, 0) >= stream.enqueued for stream in self.streams.values()):
            self.races.forget()

    def step(self) -> None:
        ready = [stream for stream in self.streams.values() if stream.queue and self._is_ready(stream.queue[0])]
        if ready:
            self._do(self._random.choice(ready))

    def _is_ready(self, work: Work) -> bool:
        for handle, number in work.clock.items():
            other = self.streams.get(handle)
            if handle != work.stream and other is not None and other.done < number:
                return False
        return True

    def _do(self, stream: Stream) -> None:
        work = stream.queue.popleft()
        stream.done = work.number
        if stream.is_gone and not stream.queue:
            self._forget(stream)
        run, work.run = work.run, None
        if run is None:
            return
        try:
            run(work)
        except Exception as error:
            error.add_note(f"in {work}")
            raise

    def relieve(self, handle: int) -> None:
        if self.stream(handle).recording is not None:
            return
        if self.blocking:
            self.finish_stream(handle)
        while len(self.stream(handle).queue) > LONGEST:
            self.step()


def _caller() -> str:
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
