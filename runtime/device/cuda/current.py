"""The device and the streams that a thread is at: new memory and launches belong to them."""

from collections.abc import Callable
from typing import Any

from ...thread_state import PerThread


class Here(PerThread):
    """Of one thread: `device` is the current one, `streams` has the current stream of devices where it is not the
    default one: a handle, and the object that keeps it. The dict is replaced, never changed: threads may share it."""

    def __init__(self) -> None:
        self.device = 0
        self.streams: dict[int, tuple[int, Any]] = {}

    def restored(self) -> None:
        Changes.notify()


class Changes:
    """What is told that a thread is at another device or stream: native code, which launches where it did last."""

    notify: Callable[[], None] = staticmethod(lambda: None)


here = Here()


def go(device: int, streams: dict[int, tuple[int, Any]]) -> None:
    here.device, here.streams = device, streams
    Changes.notify()


def current_stream(device: int) -> int:
    return here.streams[device][0] if device in here.streams else device
