"""The device and the streams that a thread is at: new memory and launches belong to them."""

from __future__ import annotations

from typing import Any

from ..modes.thread_state import PerThread


class Here(PerThread):
    """Of one thread: `device` is the current one, `streams` has the current stream of devices where it is not the
    default one: a handle, and the object that keeps it. The dict is replaced, never changed: threads may share it."""

    def __init__(self) -> None:
        self.device = 0
        self.streams: dict[int, tuple[int, Any]] = {}


here = Here()


def current_stream(device: int) -> int:
    """The handle of the current stream on a device."""
    return here.streams[device][0] if device in here.streams else device
