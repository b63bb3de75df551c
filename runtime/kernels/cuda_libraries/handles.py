"""What is costly to make and is kept by a key, and streams and functions as NVIDIA's libraries name them."""

import ctypes
import importlib
from collections.abc import Callable, Hashable
from functools import cache
from typing import Generic, TypeVar

from ...device.cuda.driver_protocol import DEFAULT_STREAMS

Value = TypeVar("Value")


class CachedHandles(Generic[Value]):
    """Values by key, so many of them: the one that was not used for longest goes first, to `forget`."""

    def __init__(self, max_entries: int, forget: Callable[[Value], object] | None = None) -> None:
        self.max_entries, self.forget = max_entries, forget
        self.values: dict[Hashable, Value] = {}  # the last one used last

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        if key in self.values:
            self.values[key] = self.values.pop(key)
            return self.values[key]
        if len(self.values) >= self.max_entries:
            gone = self.values.pop(next(iter(self.values)))
            if self.forget is not None:
                self.forget(gone)
        self.values[key] = made = make()
        return made


def stream_handle(stream: int) -> int:
    """CUDA's handle of a stream: 0 is the default stream of the current context."""
    return 0 if stream < DEFAULT_STREAMS else stream


@cache
def address_of(library: str, function: str) -> int:
    result = importlib.import_module("cuda.pathfinder").load_nvidia_dynamic_lib(library)
    return ctypes.cast(getattr(ctypes.CDLL(result.abs_path), function), ctypes.c_void_p).value or 0
